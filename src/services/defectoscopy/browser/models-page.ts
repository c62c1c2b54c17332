import type { ModelList, ModelTraining, ShadowComparisons } from '../../../client/wire/defectoscopy.ts';
import { createApiClient } from '../../../ui/browser/api.ts';
import { createDateFormat } from '../../../ui/browser/date-format.ts';
import { announce, byId, el, fill } from '../../../ui/browser/dom.ts';
import { createNumberFormats } from '../../../ui/browser/number-formats.ts';
import { pageData } from '../../../ui/browser/page-data.ts';
import { createTokenStore } from '../../../ui/browser/token.ts';
import type { ModelsPage } from './models-texts.ts';
import { createTrainingView } from './training-view.ts';

const REFRESH_MS = 5000;
/** With fewer photos, the 95 % interval (Wilson) of a measured accuracy of 90 % is wider than 17 percentage points. */
const FEW_PHOTOS = 50;

const { language, ui, data } = pageData<ModelsPage>();
const { texts, classes, needsToken, catalog } = data;
const numbers = createNumberFormats(language);
const dates = createDateFormat(language);
const tokens = createTokenStore(ui.token);
const api = createApiClient({ tokens, needsToken, errorTexts: { ...ui.refusals, ...texts.errors } });
const days = byId<HTMLSelectElement>('days');
let shown = '';
let models: ModelList | undefined;

const defect = (name: string) => (name === '' ? texts.noDefect : (classes[name] ?? name.replaceAll('_', ' ')));
const time = (at: string) => dates.format(new Date(Number(at) * 1000));

const trainingView = createTrainingView({
  ...{ texts, numbers, time, className: defect },
  // Also for a version that no worker has installed: workers install it when it is deployed.
  toolsOf: (version, photos) => (models ? toolsOf(version, 'trained', models, photos) : []),
});
const loadTraining = () => api.call<ModelTraining>('models/training').then(trainingView.show);

function showError(error: unknown): void {
  byId('error').textContent = (error as Error).message || texts.offline;
  byId('error').hidden = false;
}

const showList = (id: string, items: readonly HTMLElement[], empty: string) =>
  byId(id).replaceChildren(...(items.length > 0 ? items : [el('li', { class: 'hint' }, empty)]));

/** Changes nothing while the models are the same, and keeps the focus. */
function showModels(found: ModelList): void {
  const text = JSON.stringify(found);
  if (text === shown) return;
  shown = text;
  models = found;
  trainingView.show();
  const focused = document.activeElement?.id ?? '';
  const wasInList = byId('versions').contains(document.activeElement);
  byId('pinned').hidden = !found.pinned;
  showList(
    'versions',
    found.models.map((each, i) => versionItem(each, i, found)),
    texts.noVersions,
  );
  showList('history', found.history.map(historyItem), texts.noHistory);
  if (wasInList) (document.getElementById(focused) ?? byId('versions-title')).focus();
}

function versionItem({ version, details }: ModelList['models'][number], index: number, found: ModelList): HTMLElement {
  const isDefault = version === found.default;
  const isShadow = version === found.shadow;
  const badges = [...(isDefault ? [texts.defaultBadge] : []), ...(isShadow ? [texts.shadow] : [])];
  const lines = [
    ...(details?.created === undefined ? [] : [fill(texts.created, { date: details.created })]),
    ...(details?.kind === 'anomaly' ? [texts.anomaly] : []),
    ...Object.entries(details?.figures ?? {}).map(([head, { split, images, accuracy }]) =>
      fill(texts.figure, {
        ...{ head: texts.heads[head] ?? head, share: numbers.share(accuracy) },
        ...{ split: texts.splits[split] ?? split, images: numbers.count(images) },
      }),
    ),
  ];
  const problems = found.problems.filter((problem) => problem.version === version);
  const photos = Math.min(...Object.values(details?.figures ?? {}).map(({ images }) => images));
  return el(
    'li',
    { class: 'panel' },
    el('h3', {}, version, ...badges.map((badge) => el('span', { class: 'badge' }, badge))),
    ...lines.map((line) => el('p', { class: 'hint' }, line)),
    ...problems.map(({ problem, worker }) =>
      el('p', { class: 'notice bad' }, fill(texts.problems[problem] ?? problem, { worker })),
    ),
    ...toolsOf(version, String(index), found, photos),
  );
}

/** The buttons that deploy a version whose accuracy was measured with this many photos, and a caution if these are few. */
function toolsOf(version: string, id: string, found: ModelList, photos: number): HTMLElement[] {
  const buttons = found.may_deploy ? buttonsOf(version, id, found) : [];
  if (buttons.length === 0) return [];
  const isFew = photos < FEW_PHOTOS && version !== found.default && !found.pinned;
  const caution = fill(texts.fewPhotos, { version, photos: numbers.count(photos) });
  return [...(isFew ? [el('p', { class: 'notice caution' }, caution)] : []), el('div', { class: 'tools' }, ...buttons)];
}

function buttonsOf(version: string, id: string, found: ModelList): HTMLElement[] {
  const isDefault = version === found.default;
  const { pinned, rolls_back_to: earlier } = found;
  const promote = () => button(`promote-${id}`, texts.promote, version, 'PUT', 'models/default', { version });
  const rollBack = (to: string) =>
    button(`roll-back-${id}`, fill(texts.rollBack, { version: to }), version, 'POST', 'models/rollback', { version });
  const shadow = (text: string, wanted: string | null) =>
    button(`shadow-${id}`, text, version, 'PUT', 'models/shadow', { version: wanted });
  return [
    ...(isDefault || pinned ? [] : [promote()]),
    ...(isDefault && !pinned && earlier !== undefined ? [rollBack(earlier)] : []),
    ...(version === found.shadow
      ? [shadow(texts.stopShadow, null)]
      : isDefault
        ? []
        : [shadow(texts.startShadow, version)]),
  ];
}

function button(id: string, text: string, version: string, method: 'PUT' | 'POST', path: string, json: object) {
  const element = el('button', { type: 'button', id, 'aria-label': `${text}: ${version}` }, text);
  element.addEventListener(
    'click',
    () => void change(element, () => api.call<ModelList>(path, { method, json }).then(showModels)),
  );
  return element;
}

async function change(element: HTMLButtonElement, send: () => Promise<void>, done = texts.saved): Promise<void> {
  // Not `disabled`, which would move the focus.
  if (element.getAttribute('aria-busy') === 'true') return;
  element.setAttribute('aria-busy', 'true');
  byId('error').hidden = true;
  try {
    await send();
    announce(done);
  } catch (error) {
    showError(error);
  } finally {
    element.removeAttribute('aria-busy');
  }
}

function historyItem({ action, actor, at, ...versions }: ModelList['history'][number]): HTMLElement {
  const { default: defaultVersion, shadow = texts.none } = versions;
  const isToNewest = action === 'rollback' && defaultVersion === undefined;
  const text = isToNewest ? texts.rolledBackToNewest : (texts.actions[action] ?? action);
  const what = fill(text, { default: defaultVersion ?? texts.none, shadow });
  return el(
    'li',
    {},
    what,
    el('span', { class: 'hint' }, [` · ${time(at)}`, ...(actor === undefined ? [] : [actor])].join(' · ')),
  );
}

function showComparisons({ comparisons, differing }: ShadowComparisons): void {
  const place = byId('comparisons');
  place.replaceChildren(...comparisons.flatMap(comparison));
  if (comparisons.length === 0) place.replaceChildren(el('p', { class: 'hint' }, texts.noComparison));
  showList('differing-results', differing.map(differingItem), texts.noDiffering);
}

function comparison(found: ShadowComparisons['comparisons'][number]): HTMLElement[] {
  const { shadow, default: defaultVersion, photos, agreeing, pairs } = found;
  const share = numbers.wholeShare(agreeing / photos);
  const summary = fill(texts.agreement, { shadow, default: defaultVersion, share, photos: numbers.count(photos) });
  const head = (text: string) => el('th', { scope: 'col' }, text);
  const rows = pairs.map((pair) =>
    el(
      'tr',
      pair.default === pair.shadow ? {} : { class: 'differs' },
      el('td', {}, defect(pair.default)),
      el('td', {}, defect(pair.shadow)),
      el('td', {}, numbers.count(pair.photos)),
    ),
  );
  const table = el(
    'table',
    {},
    el('thead', {}, el('tr', {}, head(defaultVersion), head(shadow), head(texts.photos))),
    el('tbody', {}, ...rows),
  );
  return [
    el('p', {}, summary),
    el('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': summary }, table),
  ];
}

function differingItem(found: ShadowComparisons['differing'][number]): HTMLElement {
  const { task_id: id, default_version: defaultVersion, shadow_version: shadowVersion, at } = found;
  const what = fill(texts.difference, {
    ...{ defaultVersion, shadowVersion, default: defect(found.default), shadow: defect(found.shadow) },
  });
  const name = catalog === undefined ? id : el('a', { href: `${catalog}row/defectoscopy%3A${id}` }, id);
  return el('li', {}, what, el('span', { class: 'hint' }, ` · ${time(at)} · `), name);
}

const loadModels = () => api.call<ModelList>('models').then(showModels);
const loadComparisons = () => api.call<ShadowComparisons>(`models/shadow?days=${days.value}`).then(showComparisons);

byId('train').addEventListener('submit', (event) => {
  event.preventDefault();
  const name = byId<HTMLInputElement>('train-version');
  const json = name.value === '' ? {} : { version: name.value };
  const send = async () => {
    trainingView.show(await api.call<ModelTraining>('models/train', { method: 'POST', json }));
    name.value = '';
  };
  void change(byId<HTMLButtonElement>('train-start'), send, texts.trainingRequested);
});
days.addEventListener('change', () => void loadComparisons().catch(showError));
Promise.all([loadModels(), loadComparisons(), loadTraining()]).catch(showError);
// The next refresh repeats a failed one.
setInterval(() => {
  if (!document.hidden && (!needsToken || tokens.current() !== undefined))
    void Promise.all([loadModels(), loadTraining()]).catch(() => {});
}, REFRESH_MS);
