import { problemTexts } from '../../../ui/browser/refusal-texts.ts';

/** What the service refuses, for people: by code, and by what is wrong with a field. What has no words here has its own sentence. */
const en = {
  offline: 'The server does not answer.',
  refusals: {
    // What a program calls a task, people upload as a document.
    TASK_NOT_FOUND: 'There is no such document, or it is not yours to see.',
  } as Readonly<Record<string, string>>,
  problems: problemTexts.en,
};

const ru: typeof en = {
  offline: 'Сервер не отвечает.',
  refusals: {
    UNAUTHORIZED: 'Вход устарел или не выполнен: войдите снова.',
    INVALID_API_KEY: 'Такого ключа API нет.',
    CSRF_FAILED: 'Запрос пришёл со страницы другого сайта; откройте нашу страницу и повторите.',
    FORBIDDEN: 'Это доступно только администраторам.',
    NOT_FOUND: 'По этому адресу ничего нет.',
    TASK_NOT_FOUND: 'Такого документа нет, или он не ваш.',
    IMAGE_NOT_FOUND: 'Такого снимка в этом сеансе нет.',
    EMPTY_FILE: 'Файл пуст.',
    REPORT_UNAVAILABLE: 'Отчёт сейчас не напечатать: повторите чуть позже или возьмите Excel.',
    INVALID_NAME: 'Название должно содержать от 1 до 255 знаков.',
    INVALID_IMAGE_IDS: 'Не все снимки ещё здесь; обновите страницу.',
    TOO_MANY_IMAGES: 'Слишком много снимков для одного документа.',
    FILE_TOO_LARGE: 'Файл слишком велик.',
    PAYLOAD_TOO_LARGE: 'Отправлено слишком много данных.',
    QUOTA_EXCEEDED: 'Место для ваших документов и снимков закончилось: удалите ненужные.',
    UNSUPPORTED_MEDIA_TYPE: 'Файл такого вида не подходит.',
    TASK_NOT_RETRYABLE: 'Этот документ повторно не читается.',
    TASK_NOT_EDITABLE: 'Править можно только прочитанный документ.',
    TASK_NOT_READY: 'Документ ещё не прочитан.',
    VERSION_CONFLICT: 'Эти поля изменил кто-то другой.',
    RATE_LIMIT_EXCEEDED: 'Слишком много запросов; повторите чуть позже.',
    AUTH_UNCONFIGURED: 'Ключи API не настроены: войти не может никто.',
    STORAGE_UNAVAILABLE: 'Сохранить файлы сейчас нельзя; ничего не принято.',
    QUEUE_UNAVAILABLE: 'Очередь сейчас недоступна; повторите чуть позже.',
    DATABASE_UNAVAILABLE: 'База данных не отвечает.',
    REQUEST_TIMEOUT: 'Запрос передавался слишком долго.',
    INTERNAL_ERROR: 'Что-то пошло не так на нашей стороне.',
  },
  problems: problemTexts.ru,
};

export const refusalTexts = { en, ru };
