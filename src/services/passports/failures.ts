import type { Failure } from '../../tasks/task.ts';
import type { FailureTexts } from '../shared/service.ts';
import type { Status } from './documents.ts';

/** `FAILED` and `ERROR` can be retried. */
export type FailureStatus = Extract<Status, 'FAILED' | 'ERROR' | 'PERMANENT_ERROR'>;

/** Every `error_type` of docs/specification.md#passports; a closed list. Messages never quote the document. */
const ERRORS = {
  EXTRACTION_INVALID: [
    'FAILED',
    'The extracted fields do not form a valid result.',
    'Результат распознавания не прошёл проверку.',
  ],
  NO_FIELDS_FOUND: [
    'FAILED',
    'The document is readable but contains none of the expected fields.',
    'В документе не найдено ни одного из ожидаемых полей.',
  ],
  UNREADABLE_SCAN: [
    'FAILED',
    'Too little text could be read: the scan is blurred, too small or empty.',
    'Не удалось распознать текст: изображение нечёткое, слишком мелкое или пустое.',
  ],
  LLM_INVALID: [
    'FAILED',
    'The required language model returned an invalid answer.',
    'Языковая модель вернула некорректный ответ.',
  ],

  STORAGE_ERROR: ['ERROR', 'The stored document could not be read.', 'Не удалось прочитать сохранённый документ.'],
  WORKER_LOST: [
    'ERROR',
    'The workers that processed this document stopped unexpectedly; no attempts are left.',
    'Обработка документа прервалась несколько раз; попытки исчерпаны.',
  ],
  CANCELLED: ['ERROR', 'The task was cancelled.', 'Задача отменена.'],
  TIMEOUT: ['ERROR', 'Processing the document took too long.', 'Превышено время обработки документа.'],
  INTERNAL_ERROR: ['ERROR', 'An internal error occurred.', 'Внутренняя ошибка сервера.'],
  LLM_UNAVAILABLE: ['ERROR', 'The required language model is unavailable.', 'Языковая модель недоступна.'],
  LLM_TIMEOUT: [
    'ERROR',
    'The required language model took too long to answer.',
    'Превышено время ожидания ответа языковой модели.',
  ],
  LLM_QUOTA: [
    'ERROR',
    'The quota of the required language model is used up.',
    'Исчерпана квота обращений к языковой модели.',
  ],

  PDF_ENCRYPTED: ['PERMANENT_ERROR', 'The PDF is protected by a password.', 'PDF защищён паролем.'],
  PDF_CORRUPT: [
    'PERMANENT_ERROR',
    'The PDF is damaged: none of its pages can be opened.',
    'PDF повреждён: не удалось открыть ни одной страницы.',
  ],
  PDF_TOO_MANY_PAGES: ['PERMANENT_ERROR', 'The PDF has more pages than the limit.', 'В PDF слишком много страниц.'],
  PDF_TOO_COMPLEX: [
    'PERMANENT_ERROR',
    'A page of the PDF exceeds the memory or time limit.',
    'Страница PDF слишком сложна: превышен предел памяти или времени.',
  ],
  UNSUPPORTED_DOCUMENT: ['PERMANENT_ERROR', 'The file opens but is not a document with pages.', 'В файле нет страниц.'],
} as const satisfies Record<string, readonly [FailureStatus, en: string, ru: string]>;

export type ErrorType = keyof typeof ERRORS;

export const failure = (code: ErrorType): Failure => ({ code, message: ERRORS[code][1] });

const FROM_ENGINE: Readonly<Record<string, ErrorType>> = {
  DEADLINE_EXCEEDED: 'TIMEOUT',
  INFERENCE_TIMEOUT: 'TIMEOUT',
  INFERENCE_FAILED: 'INTERNAL_ERROR',
};

/** Unknown codes become `INTERNAL_ERROR`. */
export const toErrorType = (code: string): ErrorType =>
  Object.hasOwn(ERRORS, code) ? (code as ErrorType) : (FROM_ENGINE[code] ?? 'INTERNAL_ERROR');

export const failureStatus = (code: string): FailureStatus => ERRORS[toErrorType(code)][0];

export const errorMessage = (type: ErrorType): string => ERRORS[type][1];

export const ERROR_TYPES = Object.keys(ERRORS) as ErrorType[];

const textsOf = (text: 1 | 2): Readonly<Record<string, string>> =>
  Object.fromEntries(ERROR_TYPES.map((type) => [type, ERRORS[type][text]]));

export const errorTexts = { en: textsOf(1), ru: textsOf(2) };

/** English pages show the message of the failure. */
export const failureTexts: FailureTexts = { en: {}, ru: errorTexts.ru };

export const PERMANENT_ERRORS: readonly ErrorType[] = ERROR_TYPES.filter(
  (code) => failureStatus(code) === 'PERMANENT_ERROR',
);
