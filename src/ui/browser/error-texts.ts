import { fill } from './fill.ts';

/** Error messages in the page's language; others are shown as received. */
export interface ErrorTexts {
  readonly offline: string;
  /** By error code; `{seconds}` is the time until a retry ({@link refusalText}). */
  readonly refusals: Readonly<Record<string, string>>;
  /** By error type of a field. */
  readonly problems: Readonly<Record<string, string>>;
}

/** By code, of all services; the English text is the message of the response. */
export const requestErrorTextsRu = {
  BAD_REQUEST: 'Некорректный запрос.',
  METHOD_NOT_ALLOWED: 'Этот адрес не принимает такие запросы.',
  REQUEST_TIMEOUT: 'Истекло время передачи запроса.',
  IDEMPOTENCY_IN_PROGRESS: 'Этот запрос уже выполняется.',
  PAYLOAD_TOO_LARGE: 'Слишком большой объём данных.',
  URI_TOO_LONG: 'Слишком длинный адрес.',
  IDEMPOTENCY_KEY_REUSED: 'Данные изменились после первой отправки. Обновите страницу и отправьте их заново.',
  RATE_LIMIT_EXCEEDED: 'Слишком много запросов. Повторите через {seconds} с.',
  HEADERS_TOO_LARGE: 'Слишком большие заголовки запроса. Удалите файлы cookie этого сайта и повторите.',
  INTERNAL_ERROR: 'Внутренняя ошибка сервера.',
};

/** Rate limits are per minute. */
const DEFAULT_RETRY_SECONDS = 60;

/** The text of an error code with the seconds of `Retry-After`; undefined if the message of the response is shown. */
export function refusalText(
  texts: ErrorTexts['refusals'],
  {
    code = '',
    retryAfterSeconds = DEFAULT_RETRY_SECONDS,
  }: { code?: string | undefined; retryAfterSeconds?: number | undefined },
): string | undefined {
  const text = texts[code];
  return text === undefined ? undefined : fill(text, { seconds: retryAfterSeconds });
}

/** Undefined without a number of seconds. */
export function retryAfterOf(header: string | null | undefined): number | undefined {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}

type Problems = Readonly<Record<string, string>>;

const en: Problems = {
  int_parsing: 'Enter a whole number.',
  float_parsing: 'Enter a number.',
  date_parsing: 'Enter a date.',
  datetime_parsing: 'Enter a date, or a date and time.',
  enum: 'Choose one of: {expected}.',
  string_pattern_mismatch: 'Invalid format.',
  greater_than_equal: 'Must be at least {ge}.',
  less_than_equal: 'Must be at most {le}.',
  string_too_long: 'Must have at most {max_length} characters.',
  too_many_rows: 'The table can have at most {max_length} rows, including emptied ones.',
};

const ru: Problems = {
  missing: 'Обязательное поле.',
  int_parsing: 'Введите целое число.',
  float_parsing: 'Введите число.',
  date_parsing: 'Введите дату.',
  datetime_parsing: 'Введите дату или дату и время.',
  bool_parsing: 'Допустимые значения: «да» или «нет».',
  enum: 'Допустимые значения: {expected}.',
  string_pattern_mismatch: 'Неверный формат.',
  greater_than_equal: 'Не меньше {ge}.',
  less_than_equal: 'Не больше {le}.',
  string_too_long: 'Не более {max_length} символов.',
  too_many_rows: 'В таблице может быть не больше {max_length} строк, включая очищенные.',
  too_long: 'Слишком много полей.',
  extra_forbidden: 'Неизвестное поле.',
  uuid_parsing: 'Документ не найден.',
};

export const fieldErrorTexts = { en, ru };
