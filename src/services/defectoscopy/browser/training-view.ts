import type { ModelTraining } from '../../../client/wire/defectoscopy.ts';
import { announce, byId, el, fill } from '../../../ui/browser/dom.ts';
import type { NumberFormats } from '../../../ui/browser/number-formats.ts';
import type { ModelsTexts } from './models-texts.ts';

type Training = NonNullable<ModelTraining['training']>;
type Comparison = NonNullable<Training['report']>['heads'][number]['test'];
type Change = Comparison['accuracy'];

/** The form that trains a version, its progress, and the figures of both versions. */
export function createTrainingView(options: {
  texts: ModelsTexts;
  numbers: NumberFormats;
  className: (name: string) => string;
  time: (at: string) => string;
  /** The buttons that promote the version or run it as a shadow, and a caution if this many photos are few. */
  toolsOf: (version: string, photos: number) => readonly HTMLElement[];
}) {
  const { texts, numbers, className, time, toolsOf } = options;
  let last: ModelTraining | undefined;
  let shown: string | undefined;
  let announced: string | undefined;

  function render(training: Training): HTMLElement[] {
    const { version, state, progress, actor, requested_at: at, failure, report } = training;
    const { training: photos = 0, held_back: heldBack = 0 } = report?.photos ?? {};
    const text = fill(texts.trainingStates[state] ?? state, {
      ...{ version, photos: numbers.count(photos), heldBack: numbers.count(heldBack) },
    });
    if (announced !== undefined && announced !== text) announce(text);
    announced = text;
    const hint = [time(at), ...(actor === undefined ? [] : [fill(texts.requestedBy, { actor })])].join(' · ');
    const isOpen = state === 'queued' || state === 'in_progress';
    return [
      el('p', {}, text, el('span', { class: 'hint' }, ` · ${hint}`)),
      ...(isOpen ? [el('progress', { max: '1', value: String(progress), 'aria-label': text })] : []),
      ...(failure ? [el('p', { class: 'notice bad' }, texts.trainingFailures[failure.code] ?? failure.message)] : []),
      ...(state === 'completed' ? toolsOf(version, heldBack) : []),
      ...(report?.heads ?? []).flatMap(({ head, held_back, test }) => {
        const values = { head: texts.heads[head] ?? head, base: report!.base };
        return [
          ...table(fill(texts.onHeldBack, values), held_back, head === 'defects'),
          ...table(fill(texts.onTest, values), test, false),
        ];
      }),
    ];
  }

  function table(title: string, { photos, accuracy, classes }: Comparison, open: boolean): HTMLElement[] {
    if (photos === 0) return [];
    const head = (text: string) => el('th', { scope: 'col' }, text);
    const row = (name: string, of: number, cells: readonly Change[]) =>
      el('tr', {}, el('td', {}, name), ...cells.map(changeCell), el('td', {}, numbers.count(of)));
    const found = el(
      'table',
      {},
      el('thead', {}, el('tr', {}, ...[texts.className, texts.recall, texts.precision, texts.photos].map(head))),
      el(
        'tbody',
        {},
        row(texts.allClasses, photos, [accuracy, {}]),
        ...classes.map((each) => row(className(each.name), each.photos, [each.recall, each.precision])),
      ),
    );
    const scroll = el('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': title }, found);
    return [el('details', { open }, el('summary', {}, title), scroll)];
  }

  function changeCell({ before, after }: Change): HTMLElement {
    if (before === undefined && after === undefined) return el('td', {}, '–');
    const share = (value: number | undefined) => (value === undefined ? '–' : numbers.share(value));
    const isWorse = before !== undefined && after !== undefined && after < before;
    return el('td', isWorse ? { class: 'differs' } : {}, `${share(before)} → ${share(after)}`);
  }

  return {
    /** Changes nothing while the training is the same, and keeps the focus. Without a response, updates the buttons. */
    show(response = last): void {
      if (!response) return;
      last = response;
      const { may_train, corrected_photos: photos, minimum_photos: minimum, training } = response;
      byId('corrected').textContent = fill(texts.corrected, { photos: numbers.count(photos), minimum });
      byId('train').hidden = !may_train;
      const parts = training ? render(training) : [];
      const html = parts.map(({ outerHTML }) => outerHTML).join('');
      if (html === shown) return;
      shown = html;
      const place = byId('training');
      const focused = place.contains(document.activeElement) ? document.activeElement!.id : '';
      place.replaceChildren(...parts);
      if (focused !== '') (document.getElementById(focused) ?? byId('train-start')).focus();
    },
  };
}
