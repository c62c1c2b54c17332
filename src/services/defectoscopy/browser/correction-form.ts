import type { CorrectionRequest, Corrections, ModelDetails, ModelList } from '../../../client/wire/defectoscopy.ts';
import type { ApiClient } from '../../../ui/browser/api.ts';
import { el, fill } from '../../../ui/browser/dom.ts';
import { RequestError } from '../../../ui/browser/requests.ts';
import type { Formatters } from './formatters.ts';
import type { Inspection } from './inspection.ts';

/** Confirms or corrects the result; empty unless the token may correct results. */
export function createCorrectionForm(job: Inspection, api: ApiClient, words: Formatters): HTMLElement {
  const place = el('div');
  void load(job, api).then(
    ({ corrections, model }) => {
      if (!corrections.may_correct) return;
      const version = job.state?.model_version ?? '';
      if (model === undefined)
        place.replaceChildren(el('p', { class: 'hint' }, fill(words.texts.notCorrectable, { version })));
      // Older workers do not report the classes of a version.
      else if (model.details) place.replaceChildren(correctionForm(job, api, words, corrections, model.details));
    },
    // The result is complete without it.
    () => {},
  );
  return place;
}

const pathOf = ({ taskId }: Inspection) => `result/${taskId}/correction`;

async function load(job: Inspection, api: ApiClient) {
  const corrections = await api.call<Corrections>(pathOf(job));
  const { models } = await api.call<ModelList>('models');
  return { corrections, model: models.find(({ version }) => version === job.state?.model_version) };
}

function correctionForm(job: Inspection, api: ApiClient, words: Formatters, found: Corrections, classes: ModelDetails) {
  const { texts, title } = words;
  const result = job.state!.result!;
  const { masters, sound } = classes;
  let { version, history } = found;

  const option = (value: string) => el('option', { value }, title(value));
  // A version may not list its surfaces.
  const surfaces = new Set([...classes.surfaces, result.surface, ...history.map(({ surface }) => surface)]);
  const surface = el('select', {}, ...[...surfaces].map(option));
  const groups = Object.entries(masters).filter(([, defects]) => defects.length > 0);
  const main = el(
    'select',
    {},
    el('option', { value: '' }, texts.noDefect),
    ...groups.map(([name, defects]) => el('optgroup', { label: title(name) }, ...defects.map(option))),
  );
  const others = groups.flatMap(([, defects]) => defects).map((value) => el('input', { type: 'checkbox', value }));
  const button = el('button', { type: 'submit', class: 'primary' });
  const status = el('p', { class: 'hint', role: 'status' });

  // The detected group may differ from the group of the first defect.
  const detected: CorrectionRequest = {
    surface: result.surface,
    master: result.masters[0]?.name ?? sound,
    defects: result.defects.map(({ name }) => name),
  };
  // Check boxes have no order.
  const keyOf = ({ surface, defects: [main, ...further] }: CorrectionRequest) =>
    [surface, main, ...further.sort()].join();
  const isDetected = (chosen: CorrectionRequest) => keyOf(chosen) === keyOf(detected);

  const labels = (): CorrectionRequest => {
    const further = main.value === '' ? [] : others.filter(({ checked }) => checked).map(({ value }) => value);
    const master = groups.find(([, defects]) => defects.includes(main.value))?.[0] ?? sound;
    const chosen = { surface: surface.value, master, defects: main.value === '' ? [] : [main.value, ...further] };
    return isDetected(chosen) ? detected : chosen;
  };
  const show = (shown: Pick<CorrectionRequest, 'surface' | 'defects'>) => {
    surface.value = shown.surface;
    main.value = shown.defects[0] ?? '';
    for (const input of others) input.checked = shown.defects.slice(1).includes(input.value);
    update();
  };
  const update = () => {
    for (const input of others) {
      input.disabled = main.value === '' || input.value === main.value;
      if (input.disabled) input.checked = false;
    }
    button.textContent = isDetected(labels()) ? texts.confirmResult : texts.saveCorrection;
  };
  const labelsText = ({ surface, defects }: Pick<CorrectionRequest, 'surface' | 'defects'>) =>
    [title(surface), ...(defects.length > 0 ? defects.map(title) : [texts.noDefect])].join(', ');
  const showStatus = () => {
    const last = history.at(-1);
    status.textContent = last === undefined ? '' : last.confirmed ? texts.confirmed : texts.corrected;
  };

  const form = el(
    'form',
    {},
    el('label', {}, el('span', {}, texts.surface), surface),
    el('label', {}, el('span', {}, texts.mainDefect), main),
    el(
      'fieldset',
      {},
      el('legend', {}, texts.furtherDefects),
      ...others.map((input) => el('label', {}, input, title(input.value))),
    ),
    button,
  );
  form.addEventListener('change', update);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    const json = labels();
    try {
      const headers = { 'if-match': `"${version}"` };
      ({ version, history } = await api.call<Corrections>(pathOf(job), { method: 'PUT', json, headers }));
      showStatus();
    } catch (error) {
      const isConflict = error instanceof RequestError && error.status === 412;
      const latest = isConflict ? await api.call<Corrections>(pathOf(job)).catch(() => undefined) : undefined;
      if (latest) ({ version, history } = latest);
      const theirs = latest?.history.at(-1);
      const failure = error instanceof RequestError && error.status === 429 ? error.message : texts.correctionFailed;
      status.textContent = theirs ? fill(texts.correctionConflict, { labels: labelsText(theirs) }) : failure;
    } finally {
      button.disabled = false;
    }
  });
  show(history.at(-1) ?? detected);
  showStatus();
  return el('details', { class: 'correction' }, el('summary', {}, texts.checkResult), form, status);
}
