const en = {
  skip: 'Skip to content',
  reference: 'API',
  help: 'Help',
  navigation: 'Navigation',
  services: 'Services',
  overview: 'Overview',
  selfHosted: 'Self-hosted. This page sends no requests to other hosts.',
  needsScript: 'This page requires JavaScript. You can use the API instead:',
  token: {
    button: 'Token',
    title: 'Access token',
    why: 'This service requires an access token. Use the link printed at startup, or contact your administrator.',
    wrong: 'Invalid access token. Check it or contact your administrator.',
    label: 'Access token',
    use: 'Apply',
    kept: 'Stored in this tab until you close it. Sent only to this service.',
  },
  steps: {
    uploading: 'Upload',
    queued: 'Queued',
    processing: 'In progress',
    done: 'Completed',
    failed: 'Failed',
    cancelled: 'Cancelled',
  },
  retry: {
    refused: '{sentence} Retrying in {seconds} s.',
    offline: 'The server is not responding. Retrying in {seconds} s.',
  },
  copy: 'Copy',
  copied: 'Copied',
  unexpected: 'Unexpected page error: {message}',
  /** Translations of error messages, by code. */
  refusals: {} as Readonly<Record<string, string>>,
};

const ru: typeof en = {
  skip: 'Перейти к содержанию',
  reference: 'API',
  help: 'Справка',
  navigation: 'Навигация',
  services: 'Сервисы',
  overview: 'Обзор',
  selfHosted: 'Работает на вашем сервере. Страница не обращается к другим узлам.',
  needsScript: 'Для этой страницы нужен JavaScript. Все функции доступны также через API:',
  token: {
    button: 'Токен',
    title: 'Токен доступа',
    why: 'Для работы с сервисом нужен токен доступа. Воспользуйтесь ссылкой, показанной при запуске, или обратитесь к администратору.',
    wrong: 'Неверный токен доступа. Проверьте его или обратитесь к администратору.',
    label: 'Токен доступа',
    use: 'Применить',
    kept: 'Хранится в этой вкладке до её закрытия. Отправляется только этому сервису.',
  },
  steps: {
    uploading: 'Загрузка',
    queued: 'В очереди',
    processing: 'Выполняется',
    done: 'Готово',
    failed: 'Ошибка',
    cancelled: 'Отменено',
  },
  retry: {
    refused: '{sentence} Повтор через {seconds} с.',
    offline: 'Сервер не отвечает. Повтор через {seconds} с.',
  },
  copy: 'Копировать',
  copied: 'Скопировано',
  unexpected: 'Непредвиденная ошибка на странице: {message}',
  refusals: {
    UNAUTHORIZED: 'Требуется действительный токен доступа.',
    NOT_FOUND: 'Страница не найдена.',
    TASK_NOT_FOUND: 'Задача не найдена: неверный идентификатор или истёк срок хранения результата.',
    TASK_ALREADY_FINISHED: 'Задача уже завершена, отменить её нельзя.',
    PAYLOAD_TOO_LARGE: 'Файл слишком большой.',
    UNSUPPORTED_MEDIA_TYPE: 'Тип файла не поддерживается.',
    VALIDATION_ERROR: 'Неверные параметры запроса.',
    RATE_LIMIT_EXCEEDED: 'Слишком много запросов.',
    QUEUE_UNAVAILABLE: 'Очередь задач недоступна.',
    STORAGE_UNAVAILABLE: 'Хранилище файлов недоступно.',
    MODEL_NOT_READY: 'Модель не загружена.',
    INTERNAL_ERROR: 'Внутренняя ошибка сервера.',
    WORKER_LOST: 'Обработка прервалась несколько раз; попытки исчерпаны.',
    DEADLINE_EXCEEDED: 'Истёк срок выполнения задачи.',
    CANCELLED: 'Задача отменена.',
  },
};

export const uiTexts = { en, ru };
export type UiLanguage = keyof typeof uiTexts;
export type UiTexts = typeof en;

export interface PageData<Own> {
  readonly language: UiLanguage;
  readonly ui: UiTexts;
  readonly own: Own;
}
