import type { Failure } from '../../tasks/task.ts';
import type { Status } from './documents.ts';

/** How a document may end without a result: it can be tried again (`FAILED`, `ERROR`), or never will work. */
export type Ended = Extract<Status, 'FAILED' | 'ERROR' | 'PERMANENT_ERROR'>;

const table = <Code extends string>(rows: Record<Code, readonly [Ended, string]>) => rows;

/** Every `error_type` of contract §6.5, with the state that it means and its sentence. Closed; no sentence quotes the document. */
const KINDS = table({
  EXTRACTION_INVALID: ['FAILED', 'What was read from the document does not make a valid result.'],
  NO_FIELDS_FOUND: ['FAILED', 'The document can be read, but none of the expected fields is in it.'],
  UNREADABLE_SCAN: ['FAILED', 'Too little text could be read: the scan is too blurred, too small or empty.'],
  LLM_INVALID: ['FAILED', 'The language model, which is required here, gave no valid answer.'],

  STORAGE_ERROR: ['ERROR', 'The stored document could not be read.'],
  WORKER_LOST: ['ERROR', 'The workers that took this document were lost; no attempt is left.'],
  TIMEOUT: ['ERROR', 'The document took too long.'],
  INTERNAL_ERROR: ['ERROR', 'Something went wrong on our side.'],
  LLM_UNAVAILABLE: ['ERROR', 'The language model, which is required here, cannot be reached.'],
  LLM_TIMEOUT: ['ERROR', 'The language model, which is required here, took too long.'],
  LLM_QUOTA: ['ERROR', 'The quota of the language model, which is required here, is used up.'],

  PDF_ENCRYPTED: ['PERMANENT_ERROR', 'The PDF is protected by a password.'],
  PDF_CORRUPT: ['PERMANENT_ERROR', 'The PDF is damaged: no page of it can be opened.'],
  PDF_TOO_MANY_PAGES: ['PERMANENT_ERROR', 'The PDF has more pages than the limit.'],
  PDF_TOO_COMPLEX: ['PERMANENT_ERROR', 'A page of the PDF takes more memory or time than the limit.'],
  UNSUPPORTED_DOCUMENT: ['PERMANENT_ERROR', 'The file opens, but it is no document with pages.'],
});

export type ErrorType = keyof typeof KINDS;

/** What a worker fails a task with. */
export const failure = (code: ErrorType): Failure => ({ code, sentence: KINDS[code][1] });

/** What the engine ends a task with, in this service's words. */
const OF_ENGINE: Readonly<Record<string, ErrorType>> = {
  DEADLINE_EXCEEDED: 'TIMEOUT',
  INFERENCE_TIMEOUT: 'TIMEOUT',
  INFERENCE_FAILED: 'INTERNAL_ERROR',
};

/** The `error_type` that clients see for the code of a failed task; a code that nobody knows is a fault of ours. */
export const errorType = (code: string): ErrorType =>
  Object.hasOwn(KINDS, code) ? (code as ErrorType) : (OF_ENGINE[code] ?? 'INTERNAL_ERROR');

/** The state in which the code of a failed task leaves its document. */
export const endedAs = (code: string): Ended => KINDS[errorType(code)][0];

export const sentenceOf = (type: ErrorType): string => KINDS[type][1];

export const ERROR_TYPES = Object.keys(KINDS) as ErrorType[];

/** After these a document is not tried again. */
export const FINAL: readonly ErrorType[] = ERROR_TYPES.filter((code) => endedAs(code) === 'PERMANENT_ERROR');
