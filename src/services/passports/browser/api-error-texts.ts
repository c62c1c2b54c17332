import { fieldErrorTexts, requestErrorTextsRu } from '../../../ui/browser/error-texts.ts';

/** Error texts by code and validation problem; other codes use the message of the response. */
export const apiErrorTexts = {
  offline: { en: 'The server does not answer.', ru: 'Сервер не отвечает.' },
  refusals: {
    en: {
      // The API says "task", the pages say "document".
      TASK_NOT_FOUND: 'The document does not exist, or you have no access to it.',
      CORRECTION_NOT_FOUND: 'The template has no correction from this document.',
      UNSUPPORTED_MEDIA_TYPE:
        'The file is not in an accepted format: documents are PDF, photos of pages are JPEG, PNG, WebP, TIFF or HEIC.',
    } as Readonly<Record<string, string>>,
    ru: {
      ...requestErrorTextsRu,
      UNAUTHORIZED: 'Вход не выполнен или сеанс истёк. Войдите снова.',
      INVALID_API_KEY: 'Неверный ключ API.',
      CSRF_FAILED: 'Запрос пришёл со страницы другого сайта. Откройте страницу этого сервиса и повторите.',
      FORBIDDEN: 'Доступно только администраторам.',
      NOT_FOUND: 'По этому адресу ничего нет.',
      TASK_NOT_FOUND: 'Документ не найден, или у вас нет к нему доступа.',
      TEMPLATE_NOT_FOUND: 'Шаблон не найден.',
      CORRECTION_NOT_FOUND: 'В шаблоне нет исправлений из этого документа.',
      IMAGE_NOT_FOUND: 'Фото не найдено.',
      EMPTY_FILE: 'Файл пуст.',
      REPORT_UNAVAILABLE: 'Отчёт сейчас недоступен. Повторите позже или скачайте Excel.',
      INVALID_NAME: 'Название должно содержать от 1 до 255 знаков.',
      INVALID_IMAGE_IDS: 'Некоторых фото уже нет. Обновите страницу.',
      TOO_MANY_IMAGES: 'Слишком много фото.',
      FILE_TOO_LARGE: 'Файл слишком большой.',
      QUOTA_EXCEEDED: 'Превышена квота на документы и фото. Удалите ненужные.',
      UNSUPPORTED_MEDIA_TYPE:
        'Формат файла не подходит: документы принимаются в PDF, фото страниц — в JPEG, PNG, WebP, TIFF и HEIC.',
      TASK_NOT_RETRYABLE: 'Этот документ нельзя обработать повторно.',
      TASK_NOT_EDITABLE: 'Редактировать можно только обработанный документ.',
      TASK_NOT_READY: 'У документа нет результата.',
      VERSION_CONFLICT: 'Документ изменился, пока страница была открыта.',
      AUTH_UNCONFIGURED: 'Ключи API не настроены, вход невозможен.',
      STORAGE_UNAVAILABLE: 'Хранилище файлов недоступно, файлы не сохранены.',
      QUEUE_UNAVAILABLE: 'Очередь недоступна. Повторите позже.',
      DATABASE_UNAVAILABLE: 'База данных не отвечает.',
    },
  },
  problems: fieldErrorTexts,
};
