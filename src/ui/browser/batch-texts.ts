import { batchLink, groupingMessages } from './grouping-texts.ts';
import { localize } from './localize.ts';

/** Why a whole batch is refused, in the `details` of the error. */
export type BatchProblem =
  | 'SANDBOX_HAS_NO_BATCHES'
  | 'EMPTY_ARCHIVE'
  | 'EMPTY_BATCH'
  | 'TOO_MANY_FILES'
  | 'ARCHIVE_TOO_LARGE';

export const batchTexts = localize({
  link: batchLink,
  title: { en: 'Many files at once', ru: 'Обработка нескольких файлов' },
  lead: {
    en: 'All files are accepted together. If some cannot be processed, you can leave them out.',
    ru: 'Файлы принимаются все вместе. Если некоторые обработать нельзя, их можно пропустить.',
  },
  back: { en: 'Upload', ru: 'Загрузка файлов' },
  choose: {
    title: { en: 'New batch', ru: 'Новый пакет' },
    drop: {
      title: { en: 'Drop a folder, files or a ZIP archive here', ru: 'Перетащите сюда папку, файлы или ZIP-архив' },
      tap: { en: 'Choose files or a ZIP archive', ru: 'Выберите файлы или ZIP-архив' },
      or: { en: 'or', ru: 'или' },
      choose: { en: 'choose files or a ZIP archive', ru: 'выберите файлы или ZIP-архив' },
    },
    limits: {
      en: '{file}. At most {count} files and 4 GB together.',
      ru: '{file}. Не больше {count} файлов и 4 ГБ вместе.',
    },
    folder: { en: 'Choose a folder', ru: 'Выбрать папку' },
    grouping: groupingMessages,
    leftOut: { en: 'Files of other types that were left out: {count}', ru: 'Пропущено файлов других типов: {count}' },
    ignored: {
      en: 'Hidden and system files that were ignored: {count}.',
      ru: 'Скрытых и системных файлов, не принятых во внимание: {count}.',
    },
    nothing: { en: 'There are no supported files.', ru: 'Подходящих файлов нет.' },
    tooMany: {
      en: 'A batch has at most {limit} files. Divide them into several batches.',
      ru: 'В пакете может быть не больше {limit} файлов. Разделите их на несколько пакетов.',
    },
    unreadable: {
      en: '“{name}” was changed or removed. Choose the files again.',
      ru: 'Файл «{name}» изменён или удалён. Выберите файлы снова.',
    },
    tooLarge: { en: 'The files are larger than 4 GB.', ru: 'Размер файлов больше 4 ГБ.' },
  },
  invalid: {
    title: { en: 'Files that cannot be processed', ru: 'Файлы, которые нельзя обработать' },
    counts: {
      en: '{invalid} of {total}. Nothing has been processed yet.',
      ru: '{invalid} из {total}. Обработка ещё не началась.',
    },
    leftOut: { en: 'Left out: {count}.', ru: 'Пропущено: {count}.' },
    file: { en: '{name}: {reason}', ru: '{name}: {reason}' },
    more: { en: 'and {count} more', ru: 'и ещё {count}' },
    continue: { en: 'Leave out {invalid} and continue', ru: 'Пропустить ({invalid}) и продолжить' },
    /** By the code of a file; others have the message of the response. */
    reasons: {
      en: {} as Readonly<Record<string, string>>,
      ru: {
        DUPLICATE_NAME: 'Имя повторяется.',
        INVALID_NAME: 'Недопустимое имя.',
        UNSAFE_PATH: 'Путь ведёт за пределы архива.',
        ENCRYPTED: 'Файл зашифрован.',
        UNSUPPORTED_COMPRESSION: 'Способ сжатия не поддерживается; используйте Deflate.',
        NESTED_ARCHIVE: 'Вложенные архивы не распаковываются.',
        FILE_TOO_LARGE: 'Файл слишком большой.',
        EMPTY_FILE: 'Файл пуст.',
        UNSUPPORTED_MEDIA_TYPE: 'Тип файла не поддерживается.',
        DAMAGED: 'Файл повреждён.',
      } as Readonly<Record<string, string>>,
    },
  },
  progress: {
    title: { en: 'Batch', ru: 'Пакет' },
    starting: { en: 'Reading the files', ru: 'Чтение файлов' },
    searching: { en: 'Files found: {count}', ru: 'Найдено файлов: {count}' },
    preparing: { en: 'Reading the files: {percent} %', ru: 'Чтение файлов: {percent} %' },
    token: {
      en: 'Enter the access token above to upload the files.',
      ru: 'Чтобы загрузить файлы, введите токен доступа выше.',
    },
    uploading: { en: 'Uploading: {percent} %', ru: 'Загрузка: {percent} %' },
    checking: { en: 'Checking the files', ru: 'Проверка файлов' },
    running: { en: 'Finished: {ended} of {total}', ru: 'Завершено: {ended} из {total}' },
    remaining: { en: 'About {time} left', ru: 'Осталось примерно {time}' },
    aborted: { en: 'The upload was cancelled.', ru: 'Загрузка отменена.' },
    completed: {
      en: 'Finished. Completed: {done}, failed: {failed}, cancelled: {cancelled}',
      ru: 'Завершено. Готово: {done}, с ошибкой: {failed}, отменено: {cancelled}',
    },
    cancel: { en: 'Cancel', ru: 'Отменить' },
    cancelSure: {
      en: 'Cancel the batch? Files that are not finished will not be processed.',
      ru: 'Отменить пакет? Незавершённые файлы не будут обработаны.',
    },
    cancelling: { en: 'Cancelling…', ru: 'Отменяется…' },
    cancelled: {
      en: 'To process cancelled files, choose them again.',
      ru: 'Чтобы обработать отменённые файлы, выберите их снова.',
    },
    retry: { en: 'Retry failed', ru: 'Повторить неудачные' },
    notRetried: {
      en: 'The failed files cannot be processed. Retrying would not help.',
      ru: 'Файлы с ошибкой обработать нельзя: повтор не поможет.',
    },
    download: { en: 'Download results', ru: 'Скачать результаты' },
    formats: {
      en: 'CSV and XLSX have one row per file. JSON Lines and ZIP also have its tables and details.',
      ru: 'В CSV и XLSX одна строка на файл. В JSON Lines и ZIP есть также таблицы и подробности.',
    },
  },
  items: {
    title: { en: 'Files', ru: 'Файлы' },
    file: { en: 'File', ru: 'Файл' },
    state: { en: 'State', ru: 'Состояние' },
    result: { en: 'Result', ru: 'Результат' },
    onlyFailed: { en: 'Failed files only', ru: 'Только файлы с ошибкой' },
    previous: { en: 'Previous', ru: 'Назад' },
    next: { en: 'Next', ru: 'Далее' },
  },
  recent: {
    title: { en: 'Recent batches', ru: 'Последние пакеты' },
    name: { en: 'Folder or first file', ru: 'Папка или первый файл' },
    /** Of a batch without file names. */
    unnamed: { en: 'Items: {total}', ru: 'Элементов: {total}' },
    created: { en: 'Created', ru: 'Создан' },
    grouping: { en: 'Project, tags', ru: 'Проект, метки' },
  },
  states: {
    queued: { en: 'Queued', ru: 'В очереди' },
    processing: { en: 'In progress', ru: 'Обрабатывается' },
    done: { en: 'Completed', ru: 'Готово' },
    failed: { en: 'Failed', ru: 'Ошибка' },
    cancelled: { en: 'Cancelled', ru: 'Отменено' },
    deleted: { en: 'Deleted', ru: 'Удалено' },
  },
  /** By error code; others have the message of the service or of the response. */
  errors: {
    en: { BATCH_NOT_FOUND: 'The batch does not exist or has expired.' } as Readonly<Record<string, string>>,
    ru: {
      QUEUE_UNAVAILABLE: 'Сейчас принимаются другие пакеты, или в очереди нет места.',
      PAYLOAD_TOO_LARGE: 'Файлы слишком большие, или превышена квота на файлы.',
      STORAGE_UNAVAILABLE: 'Файлы нельзя сохранить: хранилище недоступно или заполнено.',
      REQUEST_TIMEOUT: 'Файлы передаются слишком медленно. Повторите по более быстрому соединению.',
      DAMAGED_ARCHIVE: 'ZIP-архив неполный или повреждён.',
      BATCH_NOT_FOUND: 'Пакет не существует или срок его хранения истёк.',
      BATCH_NOT_COMPLETED: 'Обработка пакета ещё не закончена.',
      ...({
        SANDBOX_HAS_NO_BATCHES: 'В песочнице нет пакетов.',
        EMPTY_ARCHIVE: 'В архиве нет файлов.',
        EMPTY_BATCH: 'В пакете нет элементов.',
        TOO_MANY_FILES: 'Слишком много файлов для одного пакета: допускается не больше {limit}.',
        ARCHIVE_TOO_LARGE: 'Файлы архива после распаковки слишком большие.',
      } satisfies Record<BatchProblem, string>),
    } as Readonly<Record<string, string>>,
  },
  offline: { en: 'The server is not responding.', ru: 'Сервер не отвечает.' },
});
export type BatchTexts = (typeof batchTexts)['en'];

export interface BatchPage {
  readonly texts: BatchTexts;
  /** Undefined: the session cookie authorizes. */
  readonly needsToken: boolean | undefined;
  /** The address of an item's page, without its task id. */
  readonly itemPath: string;
  /** Messages of failed items and of errors by code, in place of those of the responses. */
  readonly errorTexts: Readonly<Record<string, string>>;
  /** Of supported media types. */
  readonly typePrefixes: readonly string[];
  /** Codes of failures that a retry repeats. */
  readonly permanentErrors: readonly string[];
  readonly maxFiles: number;
}
