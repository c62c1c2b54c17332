import type {
  Delivery,
  DeliveryPage,
  EndpointList,
  FailingEndpoint,
  Redelivered,
  WebhookTestResult,
} from '../../client/wire/deliveries.ts';
import { createApiClient } from './api.ts';
import { createDateFormat } from './date-format.ts';
import type { DeliveriesPage } from './deliveries-texts.ts';
import { announce, byId, el, fill } from './dom.ts';
import { createNumberFormats } from './number-formats.ts';
import { pageData } from './page-data.ts';
import { replaceContent } from './refresh.ts';
import { RequestError } from './requests.ts';
import { createTokenStore } from './token.ts';

const PAGE_SIZE = 50;
/** The most that the API returns. */
const MAX_REFRESHED = 500;
const REFRESH_INTERVAL_MS = 5000;
const DAY_MS = 86_400_000;

type Attempt = Delivery['attempt_log'][number];

const { data, ui, language } = pageData<DeliveriesPage>();
const { texts, needsToken } = data;
const { list, states } = texts;
const numbers = createNumberFormats(language);
const dates = createDateFormat(language);
const api = createApiClient({ tokens: createTokenStore(ui.token), needsToken, errorTexts: ui.refusals });
const post = <T>(path: string, json: unknown) => api.call<T>(path, { method: 'POST', json });

let state = '';
let shown: DeliveryPage = { deliveries: [] };
let updateFailed = false;

const timeOf = (seconds: string) => dates.format(new Date(Number(seconds) * 1000));
const joined = (parts: readonly (string | undefined)[]) => parts.filter((part) => part !== undefined).join(' · ');
const errorTextOf = (code: string) =>
  Object.hasOwn(texts.errors, code) ? texts.errors[code as keyof typeof texts.errors] : code;
const outcomeOf = ({ response_status_code: status, error, duration_ms: ms }: Omit<Attempt, 'attempt' | 'started_at'>) =>
  joined([status?.toString(), error && errorTextOf(error), ms === undefined ? undefined : numbers.duration(ms)]);
/** The code, for a look at the documentation. */
const titleOf = (attempt?: { error?: string | undefined }) =>
  attempt?.error === undefined ? {} : { title: attempt.error };

function showError(error: unknown): void {
  const box = byId('error');
  box.textContent = error instanceof RequestError && error.status === 0 ? texts.offline : (error as Error).message;
  box.hidden = false;
}

/** Runs an action of the person, without a second one by the same button meanwhile, and then updates the page. */
async function act(button: HTMLButtonElement, action: () => Promise<unknown>): Promise<void> {
  if (button.hasAttribute('aria-disabled')) return;
  byId('error').hidden = true;
  button.setAttribute('aria-disabled', 'true');
  await action().catch(showError);
  button.removeAttribute('aria-disabled');
  await refresh().catch(showError);
}

function deliveryItem(delivery: Delivery, isOpen: boolean): HTMLElement {
  const { delivery_id: id, task_id: task, url, held, last_attempt_at: last, next_attempt_at: following } = delivery;
  const shownState = held ? 'held' : delivery.state;
  const latest = delivery.attempt_log.at(-1);
  const facts = [
    [list.task, task],
    [list.delivery, id],
    ...(following === undefined ? [] : [[list.next, timeOf(following)]]),
  ];
  return el(
    'li',
    { 'data-state': shownState },
    el(
      'details',
      { id, open: isOpen },
      el(
        'summary',
        { id: `summary-${id}` },
        el('span', { class: 'state' }, states[shownState]),
        el('span', { class: 'url' }, url),
        el('span', { class: 'hint', ...titleOf(latest) }, joined([last && timeOf(last), latest && outcomeOf(latest)])),
      ),
      el('dl', {}, ...facts.flatMap(([term = '', value = '']) => [el('dt', {}, term), el('dd', {}, value)])),
      el('h3', {}, list.attempts),
      delivery.attempt_log.length === 0
        ? el('p', { class: 'hint' }, list.noAttempts)
        : el('ol', {}, ...delivery.attempt_log.map(attemptItem)),
    ),
    el(
      'button',
      {
        type: 'button',
        class: 'small',
        id: `again-${id}`,
        'data-task': task,
        'aria-label': fill(list.againFor, { task }),
      },
      list.again,
    ),
  );
}

const attemptItem = (attempt: Attempt) =>
  el(
    'li',
    { value: String(attempt.attempt) },
    el('span', {}, timeOf(attempt.started_at)),
    el('span', { class: 'hint', ...titleOf(attempt) }, outcomeOf(attempt)),
  );

function endpointItem({
  endpoint,
  state,
  failing_since: since,
  failed_attempts: count,
  held,
}: FailingEndpoint): HTMLElement {
  const facts = fill(texts.endpoints.since, { time: timeOf(since), count: String(count), held: String(held) });
  const resume = el('button', { type: 'button', class: 'small', 'data-endpoint': endpoint }, texts.endpoints.resume);
  resume.setAttribute('aria-label', `${texts.endpoints.resume}: ${endpoint}`);
  return el(
    'li',
    { 'data-state': state },
    el(
      'div',
      {},
      el('span', { class: 'state' }, texts.endpoints[state]),
      el('span', { class: 'url' }, endpoint),
      el('span', { class: 'hint' }, facts),
    ),
    ...(state === 'paused' ? [resume] : []),
  );
}

/** Keeps the list, its open items and the focus if nothing has changed. */
function show(page: DeliveryPage): void {
  const isSame = JSON.stringify(page) === JSON.stringify(shown);
  shown = page;
  const { deliveries, next } = page;
  byId('no-deliveries').hidden = deliveries.length > 0;
  byId('more').hidden = next === undefined;
  if (isSame) return;
  const openIds = new Set([...document.querySelectorAll('#deliveries details[open]')].map(({ id }) => id));
  const items = deliveries.map((delivery) => deliveryItem(delivery, openIds.has(delivery.delivery_id)));
  replaceContent(byId('deliveries'), el('ul', {}, ...items));
}

function readPage(limit: number, before?: string): Promise<DeliveryPage> {
  const query = new URLSearchParams({ limit: String(limit), ...(state && { state }), ...(before && { before }) });
  return api.call<DeliveryPage>(`deliveries?${query}`);
}

async function refresh(isNewFilter = false): Promise<void> {
  const [wanted, before] = [state, shown];
  const count = isNewFilter ? PAGE_SIZE : Math.max(before.deliveries.length, PAGE_SIZE);
  const page = count > MAX_REFRESHED ? before : await readPage(count);
  const { endpoints } = await api.call<EndpointList>('deliveries/endpoints');
  // Another filter was chosen meanwhile.
  if (wanted !== state) return;
  // Further rows may have been loaded meanwhile.
  if (isNewFilter || shown === before) show(page);
  byId('endpoints').hidden = endpoints.length === 0;
  replaceContent(byId('endpoint-list'), el('ul', {}, ...endpoints.map(endpointItem)));
}

// One request at a time, and none while the page is hidden.
let isUpdating = false;
async function update(): Promise<void> {
  if (isUpdating || document.hidden) return;
  isUpdating = true;
  try {
    await refresh();
    if (updateFailed) byId('error').hidden = true;
    updateFailed = false;
  } catch (error) {
    showError(error);
    updateFailed = true;
  } finally {
    isUpdating = false;
  }
}

/** Also for buttons that are added later. */
function onButton(list: string, run: (button: HTMLButtonElement) => Promise<unknown>): void {
  byId(list).addEventListener('click', ({ target }) => {
    const button = (target as Element).closest('button');
    if (button) void act(button, () => run(button));
  });
}

onButton('deliveries', async ({ dataset }) => {
  await post('deliveries/redeliver', { task_id: dataset['task'] });
  announce(fill(texts.redeliver.queued, { count: '1' }));
});

onButton('endpoint-list', async ({ dataset }) => {
  const endpoint = dataset['endpoint']!;
  await post('deliveries/endpoints/resume', { endpoint });
  announce(fill(texts.endpoints.resumed, { endpoint }));
  byId('list-title').focus();
});

onButton('delivery-list-end', async () => {
  const { deliveries, next } = await readPage(PAGE_SIZE, shown.next);
  show({ deliveries: [...shown.deliveries, ...deliveries], ...(next !== undefined && { next }) });
});

byId('filter').addEventListener('change', ({ target }) => {
  state = (target as HTMLInputElement).value;
  void refresh(true).catch(showError);
});

function onSubmit(form: string, run: () => Promise<unknown>): void {
  byId(form).addEventListener('submit', (event) => {
    event.preventDefault();
    void act(byId(form).querySelector('button')!, run);
  });
}

onSubmit('redeliver', async () => {
  const since = String(Math.floor(new Date(byId<HTMLInputElement>('since').value).getTime() / 1000));
  const { checked: pending } = byId<HTMLInputElement>('pending');
  let count = 0;
  for (let more = true; more; ) {
    const queued = await post<Redelivered>('deliveries/redeliver', { since, pending });
    count += queued.redelivered;
    more = queued.more;
    byId('redeliver-result').textContent = fill(texts.redeliver.queued, { count: String(count) });
  }
});

onSubmit('test', async () => {
  const secret = byId<HTMLInputElement>('secret').value;
  byId('test-result').textContent = '';
  const result = await post<WebhookTestResult>('deliveries/test', {
    url: byId<HTMLInputElement>('receiver').value,
    ...(secret !== '' && { secret }),
  });
  const template = result.delivered ? texts.test.delivered : texts.test.failed;
  byId('test-result').textContent = fill(template, { details: outcomeOf(result) });
});

const dayAgo = new Date(Date.now() - DAY_MS);
byId<HTMLInputElement>('since').value = new Date(dayAgo.getTime() - dayAgo.getTimezoneOffset() * 60_000)
  .toISOString()
  .slice(0, 16);
void update();
setInterval(() => void update(), REFRESH_INTERVAL_MS);
document.addEventListener('visibilitychange', () => void update());
