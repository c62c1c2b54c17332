import { data, formats, showStatus, texts } from './batch-context.ts';
import { createDateFormat } from './date-format.ts';
import { announce, byId, el, fill } from './dom.ts';

/** A state of `GET /batches/{batch_id}`. */
export interface Batch {
  readonly batch_id: string;
  readonly status: 'in_progress' | 'completed';
  readonly total: number;
  readonly name?: string;
  readonly created_at: string;
  readonly project?: string;
  readonly tags?: readonly string[];
  readonly error_codes?: readonly string[];
  readonly counts: Readonly<Record<'queued' | 'processing' | 'done' | 'failed' | 'cancelled', number>>;
  readonly estimated_wait_seconds?: number;
}

/** An item of `GET /batches/{batch_id}/items`. */
export interface Item {
  readonly position: number;
  readonly task_id: string;
  readonly name?: string;
  readonly status: 'queued' | 'processing' | 'done' | 'failed' | 'deleted';
  readonly error?: string;
  readonly error_code?: string;
  readonly summary?: string;
}

function progressOf({ status, total, counts }: Batch) {
  const ended = counts.done + counts.failed + counts.cancelled;
  const template = status === 'completed' ? texts.progress.completed : texts.progress.running;
  const numbers = Object.fromEntries(
    Object.entries({ ...counts, ended, total }).map(([name, count]) => [name, formats.count(count)]),
  );
  return { ended, sentence: fill(template, numbers) };
}

const dates = createDateFormat(document.documentElement.lang);

const labelsOf = ({ project, tags = [] }: Pick<Batch, 'project' | 'tags'>) => [
  ...(project === undefined ? [] : [project]),
  ...tags,
];

/** The name of the batch with its project and tags. */
export function showHeading(shown: Pick<Batch, 'name' | 'project' | 'tags'>): void {
  const { title } = texts.progress;
  byId('progress-title').textContent = shown.name === undefined ? title : `${title}: ${shown.name}`;
  const labels = labelsOf(shown).map((label) => el('span', { class: 'group', dir: 'auto' }, label));
  byId('groups').hidden = labels.length === 0;
  byId('groups').replaceChildren(...labels);
}

/** A row of the list of recent batches. */
export function recentRow(recent: Batch): HTMLElement {
  const { batch_id: batchId, total, created_at: created } = recent;
  const { name = fill(texts.recent.unnamed, { total: formats.count(total) }) } = recent;
  const link = el('a', { href: `?id=${batchId}` }, name);
  return el(
    'tr',
    {},
    el('td', {}, link),
    el('td', {}, dates.format(Number(created) * 1000)),
    el('td', {}, labelsOf(recent).join(', ')),
    el('td', {}, progressOf(recent).sentence),
  );
}

/** Shows a state; returns whether its failed items can be listed alone. */
export function showBatch(shown: Batch): { readonly hasFailed: boolean } {
  const { status, total, counts } = shown;
  const isCompleted = status === 'completed';
  const { ended, sentence } = progressOf(shown);
  // The batch completes up to a second after its last item.
  const isEnded = isCompleted || ended === total;
  showHeading(shown);
  showStatus(sentence, isEnded ? 1 : ended / total, isEnded ? undefined : shown.estimated_wait_seconds);
  if (isCompleted) announce(sentence);
  for (const [state, count] of Object.entries(counts)) byId(`count-${state}`).textContent = String(count);
  for (const part of ['counts', 'actions', 'items']) byId(part).hidden = false;
  byId('cancel').hidden = isEnded;
  const hasFailed = isCompleted && counts.failed > 0;
  const isFinal = shown.error_codes?.every((code) => data.permanentErrors.includes(code)) ?? false;
  byId('retry').hidden = !hasFailed || isFinal;
  byId('permanent-note').hidden = !hasFailed || !isFinal;
  byId('filter').hidden = !hasFailed || counts.failed === total;
  byId('cancelled-note').hidden = !isCompleted || counts.cancelled === 0;
  byId('downloads').hidden = !isCompleted;
  return { hasFailed };
}

/** A row of the table of items. `summary`: of a result. */
export function itemRow(item: Item, summary: string | undefined): HTMLElement {
  const { position, task_id: task, name, status, error, error_code: code } = item;
  const shown = code === 'CANCELLED' ? 'cancelled' : status;
  const label = (name ?? task).split(/(?<=\/)/).flatMap((part) => [part, el('wbr')]);
  return el(
    'tr',
    { 'data-state': shown },
    el('td', {}, String(position)),
    el('td', {}, ...(status === 'deleted' ? label : [el('a', { href: `${data.itemPath}${task}` }, ...label)])),
    el('td', {}, texts.states[shown]),
    el('td', {}, data.errorTexts[code ?? ''] ?? error ?? summary ?? ''),
  );
}
