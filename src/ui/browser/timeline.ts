import type { TaskTimeline } from '../../client/wire/timeline.ts';
import type { UiTexts } from '../texts.ts';
import { el, fill } from './dom.ts';
import type { NumberFormats } from './number-formats.ts';

type TimelineEntry = TaskTimeline['timeline'][number];

/** A closed section that reads the timeline of a task whenever it is opened. */
export function createTimeline(
  read: () => Promise<TaskTimeline>,
  { ui, numbers }: { readonly ui: UiTexts; readonly numbers: NumberFormats },
): HTMLDetailsElement {
  const { title, unavailable, types, steps } = ui.timeline;
  const details = el('details', { class: 'task timeline' }, el('summary', {}, title));

  const item = (entry: TimelineEntry) => {
    const {
      type,
      attempt = 1,
      step = '',
      worker,
      reason,
      error,
      response_status_code: status,
      duration_ms: ms,
    } = entry;
    const label = fill(types[type === 'ended' ? (entry.status ?? 'done') : type], {
      attempt,
      step: steps[step] ?? step,
    });
    const notes = [worker, reason, status?.toString(), error, ms === undefined ? undefined : numbers.duration(ms)];
    return el(
      'li',
      {},
      el('span', { class: 'time' }, numbers.seconds(entry.offset_ms)),
      el('span', {}, label),
      el('span', { class: 'hint' }, notes.filter((note) => note !== undefined).join(' · ')),
    );
  };

  details.addEventListener('toggle', () => {
    if (!details.open) return;
    const shown = read().then(
      ({ timeline }) => el('ol', {}, ...timeline.map(item)),
      () => el('p', { role: 'alert' }, unavailable),
    );
    void shown.then((content) => {
      while (details.children.length > 1) details.lastElementChild!.remove();
      details.append(content);
    });
  });
  return details;
}
