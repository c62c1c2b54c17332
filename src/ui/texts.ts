import { requestErrorTextsRu } from './browser/error-texts.ts';
import { batchLink } from './browser/grouping-texts.ts';
import { localize } from './browser/localize.ts';

export const uiTexts = localize({
  skip: { en: 'Skip to content', ru: 'Перейти к содержанию' },
  reference: { en: 'API', ru: 'API' },
  help: { en: 'Help', ru: 'Справка' },
  navigation: { en: 'Navigation', ru: 'Навигация' },
  services: { en: 'Services', ru: 'Сервисы' },
  overview: { en: 'Overview', ru: 'Обзор' },
  selfHosted: {
    en: 'Self-hosted. This page sends no requests to other hosts.',
    ru: 'Работает на вашем сервере. Страница не обращается к другим узлам.',
  },
  needsScript: {
    en: 'This page requires JavaScript. You can use the API instead:',
    ru: 'Для этой страницы нужен JavaScript. Все функции доступны также через API:',
  },
  token: {
    button: { en: 'Token', ru: 'Токен' },
    title: { en: 'Access token', ru: 'Токен доступа' },
    why: {
      en: 'This service requires an access token. Use the link printed at startup, or contact your administrator.',
      ru: 'Для работы с сервисом нужен токен доступа. Воспользуйтесь ссылкой, показанной при запуске, или обратитесь к администратору.',
    },
    wrong: {
      en: 'Invalid access token. Check it or contact your administrator.',
      ru: 'Неверный токен доступа. Проверьте его или обратитесь к администратору.',
    },
    label: { en: 'Access token', ru: 'Токен доступа' },
    use: { en: 'Apply', ru: 'Применить' },
    kept: {
      en: 'Stored in this tab until you close it. Sent only to this service.',
      ru: 'Хранится в этой вкладке до её закрытия. Отправляется только этому сервису.',
    },
  },
  steps: {
    uploading: { en: 'Upload', ru: 'Загрузка' },
    queued: { en: 'Queued', ru: 'В очереди' },
    processing: { en: 'In progress', ru: 'Выполняется' },
    done: { en: 'Completed', ru: 'Готово' },
    failed: { en: 'Failed', ru: 'Ошибка' },
    cancelled: { en: 'Cancelled', ru: 'Отменено' },
  },
  timeline: {
    title: { en: 'Timeline', ru: 'Ход выполнения' },
    unavailable: { en: 'The timeline cannot be read now.', ru: 'Сейчас получить ход выполнения не удаётся.' },
    types: {
      accepted: { en: 'Accepted', ru: 'Задача принята' },
      queued: { en: 'Queued', ru: 'В очереди' },
      claimed: { en: 'Attempt {attempt} started', ru: 'Начата попытка {attempt}' },
      step: { en: 'Step: {step}', ru: 'Этап: {step}' },
      retry: { en: 'Attempt {attempt} will be repeated', ru: 'Попытка {attempt} будет повторена' },
      done: { en: 'Completed', ru: 'Готово' },
      failed: { en: 'Failed', ru: 'Ошибка' },
      delivery: { en: 'Webhook, attempt {attempt}', ru: 'Вебхук, попытка {attempt}' },
    },
    /** Names of the models' steps; others are shown as they are. */
    steps: {
      en: {} as Readonly<Record<string, string>>,
      ru: {
        download: 'загрузка файла',
        decode: 'декодирование',
        infer: 'анализ изображения',
        transcribe: 'распознавание речи',
        'read pages': 'чтение страниц',
        'load templates': 'подбор шаблонов',
        'find fields': 'поиск полей',
      },
    },
  },
  retry: {
    refused: { en: '{sentence} Retrying in {seconds} s.', ru: '{sentence} Повтор через {seconds} с.' },
    offline: {
      en: 'The server is not responding. Retrying in {seconds} s.',
      ru: 'Сервер не отвечает. Повтор через {seconds} с.',
    },
  },
  tags: {
    tooLong: {
      en: 'The tag “{tag}” is longer than {limit} characters.',
      ru: 'Метка «{tag}» длиннее {limit} символов.',
    },
    tooMany: { en: 'There can be at most {limit} tags.', ru: 'Меток может быть не больше {limit}.' },
  },
  folder: {
    why: {
      en: 'A folder cannot be uploaded on this page. Upload it here:',
      ru: 'Папку нельзя загрузить на этой странице. Загрузите её здесь:',
    },
    link: batchLink,
  },
  copy: { en: 'Copy', ru: 'Копировать' },
  copied: { en: 'Copied', ru: 'Скопировано' },
  unexpected: { en: 'Unexpected page error: {message}', ru: 'Непредвиденная ошибка на странице: {message}' },
  /** Translations of error messages, by code. */
  refusals: {
    en: {} as Readonly<Record<string, string>>,
    ru: {
      ...requestErrorTextsRu,
      UNAUTHORIZED: 'Требуется действительный токен доступа.',
      NOT_FOUND: 'Страница не найдена.',
      TASK_NOT_FOUND: 'Задача не найдена: неверный идентификатор или истёк срок хранения результата.',
      TASK_NOT_READY: 'У задачи нет результата: она не завершена или завершилась с ошибкой.',
      VERSION_CONFLICT: 'Данные тем временем изменены.',
      DELIVERY_NOT_FOUND: 'У этой задачи нет вебхука.',
      DELIVERY_IN_PROGRESS: 'Этот вебхук уже отправляется или стоит в очереди.',
      TASK_ALREADY_FINISHED: 'Задача уже завершена, отменить её нельзя.',
      PAYLOAD_TOO_LARGE: 'Файл слишком большой.',
      UNSUPPORTED_MEDIA_TYPE: 'Тип файла не поддерживается.',
      VALIDATION_ERROR: 'Неверные параметры запроса.',
      QUEUE_UNAVAILABLE: 'Очередь задач недоступна.',
      STORAGE_UNAVAILABLE: 'Хранилище файлов недоступно.',
      MODEL_NOT_READY: 'Модель не загружена.',
      WORKER_LOST: 'Обработка прервалась несколько раз; попытки исчерпаны.',
      DEADLINE_EXCEEDED: 'Истёк срок выполнения задачи.',
      CANCELLED: 'Задача отменена.',
    },
  },
});
export type UiLanguage = keyof typeof uiTexts;
export type UiTexts = (typeof uiTexts)['en'];

export interface PageData<Data> {
  readonly language: UiLanguage;
  readonly ui: UiTexts;
  readonly data: Data;
}
