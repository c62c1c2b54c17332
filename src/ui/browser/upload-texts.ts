import { groupingMessages } from './grouping-texts.ts';
import type { localize } from './localize.ts';

/** The texts that all upload pages share. */
export const uploadMessages = {
  drop: { choose: { en: 'choose a file', ru: 'выберите файл' } },
  stepsTitle: { en: 'How it works', ru: 'Как это работает' },
  model: {
    unknown: {
      en: 'Worker status is unknown. Files wait in the queue.',
      ru: 'Состояние обработчика неизвестно. Файлы ожидают в очереди.',
    },
    down: { en: 'The task queue is unavailable.', ru: 'Очередь задач недоступна.' },
    offline: { en: 'The server is not responding.', ru: 'Сервер не отвечает.' },
  },
  tooLarge: {
    en: '{name} is too large ({size}). The maximum is {limit}.',
    ru: 'Файл {name} слишком большой ({size}). Максимальный размер — {limit}.',
  },
  empty: { en: '{name} is empty.', ru: 'Файл {name} пуст.' },
  waiting: { en: 'Waiting for earlier uploads', ru: 'Ожидает завершения предыдущих загрузок' },
  estimateCold: {
    en: 'A worker has to start first. Expected within {time}.',
    ru: 'Сначала запускается обработчик. Ожидаемое время: до {time}.',
  },
  cancel: { en: 'Cancel', ru: 'Отменить' },
  cancelled: { en: 'Processing was cancelled.', ru: 'Обработка отменена.' },
  code: { en: 'Error code', ru: 'Код ошибки' },
  task: { en: 'Task and API', ru: 'Задача и API' },
  taskId: { en: 'Task ID', ru: 'Идентификатор задачи' },
  grouping: groupingMessages,
  work: { en: 'Processing time', ru: 'Время обработки' },
  again: {
    en: 'Request the same result with curl (set TOKEN to your access token):',
    ru: 'Получить тот же результат с помощью curl (TOKEN — ваш токен доступа):',
  },
  answer: { en: 'JSON response', ru: 'Ответ в формате JSON' },
  sessionUploads: { en: 'Uploads in this session', ru: 'Загрузки в этом сеансе' },
  announcements: {
    waiting: { en: '{name}: queued for upload', ru: '{name}: ожидает отправки' },
    done: { en: '{name}: completed. {text}', ru: '{name}: готово. {text}' },
    failed: { en: '{name}: {sentence}', ru: '{name}: {sentence}' },
  },
};

type CommonTexts = ReturnType<typeof localize<typeof uploadMessages>>['en'];

export interface UploadTexts extends CommonTexts {
  readonly service: string;
  readonly title: string;
  readonly heading: string;
  readonly lead: string;
  readonly drop: CommonTexts['drop'] & {
    readonly title: string;
    /** Replaces the title on touch devices. */
    readonly tap: string;
    /** Replaces the title after the first file. */
    readonly more: string;
    readonly or: string;
    readonly camera?: string;
    readonly example: string;
    readonly limits: string;
  };
  /** Shown in place of the workspace. */
  readonly uploadsDisabled: string;
  readonly unconfigured: string;
  readonly steps: readonly string[];
  readonly model: CommonTexts['model'] & Readonly<Record<'warm' | 'busy' | 'cold', string>>;
  readonly unsupported: string;
  readonly estimate: string;
  readonly failed: string;
  /** Messages by error code; other codes use the message of the response. */
  readonly failures: Readonly<Record<string, string>>;
}

export interface UploadPageData<Texts extends UploadTexts> {
  readonly texts: Texts;
  readonly needsToken: boolean;
  readonly maxBytes: number;
  /** Absent if the package has no example files. */
  readonly exampleUrl?: string;
}
