import type { BatchPage } from './batch-texts.ts';
import { byId, fill } from './dom.ts';
import { createNumberFormats } from './number-formats.ts';
import { pageData } from './page-data.ts';
import { RequestError } from './requests.ts';

/** Shared data of the modules of the batch page. */
export const { data, ui } = pageData<BatchPage>();
export const { texts } = data;
export const formats = createNumberFormats(document.documentElement.lang);

/** Shows an error of an action until the next one. */
export function showError(error: unknown): void {
  const box = byId('error');
  box.textContent = messageOf(error);
  box.hidden = false;
  box.scrollIntoView({ block: 'nearest' });
}

/** In the language of the page if available. */
export function messageOf(error: unknown): string {
  if (!(error instanceof RequestError)) return (error as Error).message;
  if (error.status === 0) return texts.offline;
  const { code = '', limit } = (error.details ?? {}) as { code?: string; limit?: number };
  const text = texts.errors[code] ?? error.message;
  return limit === undefined ? text : fill(text, { limit: formats.count(limit) });
}

/** `secondsLeft`: absent while nothing is processed. */
export function showStatus(text: string, share: number | undefined, secondsLeft?: number): void {
  byId('progress').hidden = false;
  byId('status').textContent = text;
  const bar = byId<HTMLProgressElement>('bar');
  if (share === undefined) bar.removeAttribute('value');
  else bar.value = share;
  const remaining = byId('remaining');
  remaining.hidden = secondsLeft === undefined;
  if (secondsLeft === undefined) return;
  remaining.textContent = fill(texts.progress.remaining, { time: formats.duration(1000 * Math.max(1, secondsLeft)) });
}
