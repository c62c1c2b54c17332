import type { Failure } from '../../tasks/task.ts';
import type { Status } from './documents.ts';

/** Failed states: `FAILED` and `ERROR` can be retried, `PERMANENT_ERROR` cannot. */
export type Ended = Extract<Status, 'FAILED' | 'ERROR' | 'PERMANENT_ERROR'>;

const table = <Code extends string>(rows: Record<Code, readonly [Ended, string]>) => rows;

/** Every `error_type` of contract §6.5 with its state and message. A closed list; messages never quote the document. */
const ERRORS = table({
  EXTRACTION_INVALID: ['FAILED', 'The extracted fields do not form a valid result.'],
  NO_FIELDS_FOUND: ['FAILED', 'The document is readable but contains none of the expected fields.'],
  UNREADABLE_SCAN: ['FAILED', 'Too little text could be read: the scan is blurred, too small or empty.'],
  LLM_INVALID: ['FAILED', 'The required language model returned an invalid answer.'],

  STORAGE_ERROR: ['ERROR', 'The stored document could not be read.'],
  WORKER_LOST: ['ERROR', 'The workers that processed this document stopped unexpectedly; no attempts are left.'],
  TIMEOUT: ['ERROR', 'Processing the document took too long.'],
  INTERNAL_ERROR: ['ERROR', 'An internal error occurred.'],
  LLM_UNAVAILABLE: ['ERROR', 'The required language model is unavailable.'],
  LLM_TIMEOUT: ['ERROR', 'The required language model took too long to answer.'],
  LLM_QUOTA: ['ERROR', 'The quota of the required language model is used up.'],

  PDF_ENCRYPTED: ['PERMANENT_ERROR', 'The PDF is protected by a password.'],
  PDF_CORRUPT: ['PERMANENT_ERROR', 'The PDF is damaged: none of its pages can be opened.'],
  PDF_TOO_MANY_PAGES: ['PERMANENT_ERROR', 'The PDF has more pages than the limit.'],
  PDF_TOO_COMPLEX: ['PERMANENT_ERROR', 'A page of the PDF exceeds the memory or time limit.'],
  UNSUPPORTED_DOCUMENT: ['PERMANENT_ERROR', 'The file opens but is not a document with pages.'],
});

export type ErrorType = keyof typeof ERRORS;

export const failure = (code: ErrorType): Failure => ({ code, sentence: ERRORS[code][1] });

/** Maps error codes of the task engine to those of this service. */
const FROM_ENGINE: Readonly<Record<string, ErrorType>> = {
  DEADLINE_EXCEEDED: 'TIMEOUT',
  INFERENCE_TIMEOUT: 'TIMEOUT',
  INFERENCE_FAILED: 'INTERNAL_ERROR',
};

/** The `error_type` for the error code of a failed task; unknown codes become `INTERNAL_ERROR`. */
export const errorType = (code: string): ErrorType =>
  Object.hasOwn(ERRORS, code) ? (code as ErrorType) : (FROM_ENGINE[code] ?? 'INTERNAL_ERROR');

export const endedAs = (code: string): Ended => ERRORS[errorType(code)][0];

export const sentenceOf = (type: ErrorType): string => ERRORS[type][1];

export const ERROR_TYPES = Object.keys(ERRORS) as ErrorType[];

/** Error types that cannot be retried. */
export const FINAL: readonly ErrorType[] = ERROR_TYPES.filter((code) => endedAs(code) === 'PERMANENT_ERROR');
