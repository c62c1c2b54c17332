/** The words that all pages share. A key that one language has and another has not does not compile. */
const en = {
  skip: 'Skip to the content',
  reference: 'API',
  help: 'Help',
  navigation: 'Service',
  services: 'Services',
  overview: 'Overview',
  selfHosted: 'Self-hosted; this page asks no other host for anything.',
  needsScript: 'This page needs JavaScript. Everything it does can also be done with the API:',
  token: {
    button: 'Token',
    title: 'Access token',
    why: 'This service answers only those who have a token. The start-up banner shows a link that carries one; or ask whoever runs the service.',
    wrong: 'The service did not accept this token. Please check it, or ask whoever runs the service.',
    label: 'Access token',
    use: 'Use this token',
    kept: 'Kept in this tab until you close it; sent to this service only.',
  },
  steps: {
    uploading: 'Upload',
    queued: 'Queued',
    processing: 'Processing',
    done: 'Done',
    failed: 'Failed',
    cancelled: 'Cancelled',
  },
  hitch: {
    refused: '{sentence} Trying again in {seconds} s.',
    offline: 'The server does not answer. Trying again in {seconds} s.',
  },
  copy: 'Copy',
  copied: 'Copied',
  unexpected: 'Something went wrong in this page: {message}',
  /** By code, where the sentence of the answer is not in the reader's language. */
  refusals: {} as Readonly<Record<string, string>>,
};

const ru: typeof en = {
  skip: 'К содержанию',
  reference: 'API',
  help: 'Справка',
  navigation: 'Сервис',
  services: 'Сервисы',
  overview: 'Обзор',
  selfHosted: 'Работает на вашем сервере; страница не обращается ни к каким другим узлам.',
  needsScript: 'Этой странице нужен JavaScript. Всё, что она делает, можно сделать и через API:',
  token: {
    button: 'Токен',
    title: 'Токен доступа',
    why: 'Сервис отвечает только тем, у кого есть токен. Ссылка с токеном показана при запуске; или спросите того, кто ведёт сервис.',
    wrong: 'Сервис не принял этот токен. Проверьте его или спросите того, кто ведёт сервис.',
    label: 'Токен доступа',
    use: 'Применить',
    kept: 'Хранится в этой вкладке, пока вы её не закроете; отправляется только этому сервису.',
  },
  steps: {
    uploading: 'Загрузка',
    queued: 'В очереди',
    processing: 'Обработка',
    done: 'Готово',
    failed: 'Ошибка',
    cancelled: 'Отменено',
  },
  hitch: {
    refused: '{sentence} Повтор через {seconds} с.',
    offline: 'Сервер не отвечает. Повтор через {seconds} с.',
  },
  copy: 'Копировать',
  copied: 'Скопировано',
  unexpected: 'На странице что-то пошло не так: {message}',
  refusals: {
    UNAUTHORIZED: 'Нужен действующий токен доступа.',
    NOT_FOUND: 'По этому адресу ничего нет.',
    TASK_NOT_FOUND: 'Такой задачи нет: её номер неизвестен или срок хранения результата истёк.',
    TASK_ALREADY_FINISHED: 'Задача уже завершена, отменить её нельзя.',
    PAYLOAD_TOO_LARGE: 'Файл больше допустимого размера.',
    UNSUPPORTED_MEDIA_TYPE: 'Файл не того вида, который сервис умеет читать.',
    VALIDATION_ERROR: 'Сервис не принял запрос: параметры неверны.',
    RATE_LIMIT_EXCEEDED: 'Слишком много запросов.',
    QUEUE_UNAVAILABLE: 'Очередь задач сейчас недоступна.',
    STORAGE_UNAVAILABLE: 'Хранилище файлов сейчас недоступно.',
    MODEL_NOT_READY: 'Модель сейчас не загружена.',
    INTERNAL_ERROR: 'На стороне сервера что-то пошло не так.',
    WORKER_LOST: 'Обработчик несколько раз прервался, не завершив задачу.',
    DEADLINE_EXCEEDED: 'Задача не уложилась в отведённое время.',
    CANCELLED: 'Задача отменена.',
  },
};

export const uiTexts = { en, ru };
export type UiLanguage = keyof typeof uiTexts;
export type UiTexts = typeof en;

/** What a page hands to its script: the words in the reader's language, and what else it needs to know. */
export interface PageData<Own> {
  readonly language: UiLanguage;
  readonly ui: UiTexts;
  readonly own: Own;
}
