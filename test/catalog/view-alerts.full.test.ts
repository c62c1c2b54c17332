import { hash } from 'node:crypto';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { verifyWebhook } from '../../src/client/index.ts';
import { createDeliverDeps } from '../../src/role-contexts.ts';
import { deliver } from '../../src/roles/deliver.ts';
import { createEntry } from '../../src/services/catalog/records/entry.ts';
import { writeRecords } from '../../src/services/catalog/records/write.ts';
import { DOCUMENT } from '../support/browser/catalog-records.ts';
import { type Catalog, MODERATOR, READER, startCatalog } from '../support/catalog.ts';
import type { Client } from '../support/passports.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

type Json = any;

vi.setConfig({ testTimeout: 180_000 });
const POLL = { timeout: 30_000 };

let catalog: Catalog;
let reader: Client;
let moderator: Client;
beforeAll(async () => {
  catalog = await startCatalog({
    WEBHOOK_RETRY_SCHEDULE: Array(500).fill(0).join(','),
    WEBHOOK_TIMEOUT_SECONDS: '1',
    CATALOG_PUBLIC: 'true',
  });
  reader = catalog.client({ token: READER });
  moderator = catalog.client({ token: MODERATOR });
  await catalog.index();
});
afterAll(() => catalog.stop());
beforeEach(async () => {
  await catalog.database.db.query('delete from catalog_views');
});

let views = 0;
const createView = (query: string, alert: Json = {}, client = reader) =>
  client.post('/views', { json: { name: `view ${++views}`, query, alert } });
const viewWithAlert = async (query: string, alert: Json = {}, client = reader): Promise<Json> =>
  (await createView(query, alert, client)).body;
const feed = async ({ id }: Json, query = '', client = reader): Promise<Json> =>
  (await client.get(`/views/${id}/matches${query}`)).body;
const announced = async (view: Json, client = reader): Promise<string[]> =>
  (await feed(view, '?limit=200', client)).items.map(({ record }: Json) => record.record_id);
const seed = (recordIds: readonly string[], text = 'crack', attributes = {}) =>
  catalog.seed(recordIds.map((recordId) => ({ recordId, text, attributes })));
/** Waits until all changes were evaluated. */
const settled = () =>
  expect
    .poll(async () => (await catalog.database.db.query('select from catalog_changes limit 1')).rowCount, {
      ...POLL,
    })
    .toBe(0);
const startTestReceiver = async (replies?: Parameters<typeof startReceiver>[0]): Promise<Receiver> => {
  const receiver = await startReceiver(replies);
  onTestFinished(() => receiver.close());
  return receiver;
};
const startDeliverer = async () => {
  const stop = new AbortController();
  const running = deliver(await createDeliverDeps({ ...catalog.context, registry: new Registry() }, stop.signal));
  return async () => {
    stop.abort();
    await running;
  };
};

describe('the feed of an alert', () => {
  it('lists each record that matches for the first time after the alert was set, once', async () => {
    await seed(['old:match']);
    await seed(['old:other'], 'door');
    const view = await viewWithAlert('q=crack');
    expect(view.alert).toEqual({ since: expect.any(String) });
    await seed(['new:match']);
    await seed(['new:other'], 'window');
    await settled();
    const { items, next, more } = await feed(view);
    const { items: found } = (await reader.get('/search?q=crack&service=import')).body;
    expect(items).toEqual([
      {
        matched_at: expect.stringMatching(/Z$/),
        record: { ...found.find(({ record_id: id }: Json) => id === 'new:match'), snippet: 'crack' },
      },
    ]);
    expect(more).toBe(false);

    await seed(['old:match', 'new:match'], 'a crack again');
    await seed(['old:other', 'new:other'], 'a crack now');
    await settled();
    const later = await feed(view, `?after=${next}`);
    expect(later.items.map(({ record }: Json) => record.record_id)).toEqual(['old:other', 'new:other']);
    expect((await feed(view, '?after=latest')).items).toEqual([]);
    expect((await feed(view, '?limit=1')).more).toBe(true);
    await moderator.post('/index/rebuild');
    await expect
      .poll(async () => (await catalog.database.db.query('select from catalog_rebuild')).rowCount, { timeout: 15_000 })
      .toBe(0);
    await settled();
    expect(await announced(view)).toEqual(['new:match', 'old:other', 'new:other']);
  });

  it.each([
    ['q=crakc', 'crack', {}],
    ['q=-door', 'crack', {}],
    ['service=import&not_status=failed', 'crack', {}],
    ['range=area:50..&has=area', 'x', { area: 55 }],
    ['min%3Aarea=50&view=table&sort=newest', 'x', { area: '55.5' }],
    ['from=2026-01-01&sort=oldest', 'x', {}],
    ['q=ID', 'x', {}],
    ['not_tag=other&q=crack', 'crack', {}],
  ])('uses the filters of the search: %s', async (filters, text, attributes) => {
    const recordId = `filter:${++views}`;
    const query = filters.replace('ID', recordId);
    const view = await viewWithAlert(query);
    const other = await viewWithAlert('q=unrelated&has=nothing');
    await seed([recordId], text, attributes);
    await settled();
    expect(await announced(view)).toEqual([recordId]);
    expect(await announced(other)).toEqual([]);
    const { items } = (await reader.get(`/search?${query.replace('min%3Aarea=50', 'range=area:50..')}&page=1`)).body;
    expect(items.map(({ record_id: id }: Json) => id)).toContain(recordId);
  });

  it('follows reports with `has_report`', async () => {
    await seed(['reported:1', 'reported:2']);
    await reader.post('/reports', { json: { record_id: 'reported:1', action_type: 'edit' } });
    const view = await viewWithAlert('has_report=true');
    await reader.post('/reports', { json: { record_id: 'reported:1', action_type: 'other' } });
    await reader.post('/reports', { json: { record_id: 'reported:2', action_type: 'edit' } });
    await settled();
    expect(await announced(view)).toEqual(['reported:2']);
  });

  it('shows nothing that its owner cannot find', async () => {
    const view = await viewWithAlert('q=secretly');
    const hidden = await viewWithAlert('q=secretly&hidden=true', {}, moderator);
    await seed(['hide:1', 'hide:2'], 'secretly');
    await settled();
    expect(await announced(view)).toEqual(['hide:1', 'hide:2']);
    const report = (await reader.post('/reports', { json: { record_id: 'hide:1', action_type: 'hide' } })).body;
    await moderator.request(`/reports/${report.id}`, { method: 'PATCH', json: { status: 'accepted' } });
    await settled();
    expect(await announced(view)).toEqual(['hide:2']);
    expect(await announced(hidden, moderator)).toEqual(['hide:1']);
    expect((await createView('hidden=true')).status).toBe(403);
    expect((await reader.get(`/views/${hidden.id}/matches`)).status).toBe(404);

    // A view that a moderator saved before becoming a reader.
    const { db } = catalog.database;
    const own = 'update catalog_views set owner = (select owner from catalog_views where id = $2) where id = $1';
    await db.query(own, [hidden.id, view.id]);
    expect((await reader.get(`/views/${hidden.id}/matches`)).status).toBe(403);
    await db.query('update catalog_views set owner = $2 where id = $1', [hidden.id, 'token-gone']);
    const again = (await reader.post('/reports', { json: { record_id: 'hide:2', action_type: 'hide' } })).body;
    await moderator.request(`/reports/${again.id}`, { method: 'PATCH', json: { status: 'accepted' } });
    await settled();
    const { rowCount } = await db.query('select from catalog_matches where view_id = $1 and announced', [hidden.id]);
    expect(rowCount).toBe(1);
  });
});

describe('the webhook of an alert', () => {
  it('receives each new match once from concurrent writers, while connections and deliverers end', async () => {
    const receiver = await startTestReceiver((n) => (n % 5 === 1 ? 500 : 204));
    const secret = 'the secret of the alert';
    const alert = { webhook_url: receiver.url, secret };
    const view = await viewWithAlert('q=crack', alert);
    const everything = await viewWithAlert('', { webhook_url: receiver.url });
    expect(JSON.stringify(view)).not.toContain(secret);

    let stopDeliverer = await startDeliverer();
    const { db } = catalog.database;
    const write = async (writer: number) => {
      for (let n = 0; n < 20; n++) {
        const id = `writer:${writer}:${n}`;
        for (let written = false; !written; ) {
          written = await seed([id], n % 2 === 0 ? 'crack' : 'door').then(
            () => true,
            () => false,
          );
        }
      }
    };
    const disturb = async () => {
      for (let i = 0; i < 8; i++) {
        await db
          .query(
            `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() and query ilike '%catalog\\_%'`,
          )
          .catch(() => {});
        await stopDeliverer();
        stopDeliverer = await startDeliverer();
      }
    };
    await Promise.all([...[0, 1, 2, 3, 4].map(write), disturb()]);
    await settled();
    await expect.poll(() => catalog.context.tasks.pendingDeliveries(), { timeout: 60_000 }).toBe(0);
    await stopDeliverer();

    const deliveries = new Map<string, Json>();
    for (const { headers, body } of receiver.received) {
      const data = JSON.parse(body);
      expect(headers['x-service-event']).toBe('view.matched');
      if (data.data.view.id === view.id) await verifyWebhook(body, headers, { secret });
      deliveries.set(String(headers['webhook-id']), data.data);
    }
    const idsOf = ({ id }: Json) =>
      [...deliveries.values()]
        .filter((data) => data.view.id === id)
        .flatMap(({ matches }) => matches.map(({ record }: Json) => record.record_id))
        .sort();
    const written = [0, 1, 2, 3, 4].flatMap((writer) => Array.from({ length: 20 }, (_, n) => `writer:${writer}:${n}`));
    expect(idsOf(everything)).toEqual(written.sort());
    expect(idsOf(view)).toEqual(written.filter((id) => Number(id.split(':')[2]) % 2 === 0));
  });

  it('does not wait for another receiver that is down, whose matches are sent when it works again', async () => {
    let isDown = true;
    const down = await startTestReceiver(() => (isDown ? { status: 503 } : 204));
    const working = await startTestReceiver();
    await viewWithAlert('q=ceiling', { webhook_url: down.url });
    await viewWithAlert('q=ceiling', { webhook_url: working.url });
    const stopDeliverer = await startDeliverer();
    onTestFinished(stopDeliverer);
    await seed(['ceiling:1'], 'ceiling');
    await Promise.all([working.waitForRequests(1), down.waitForRequests(1)]);
    const deliveryTo = async ({ url }: Receiver) =>
      (await reader.get('/views')).body.items.find(({ alert }: Json) => alert.webhook_url === url).alert.last_delivery;
    await expect
      .poll(() => deliveryTo(working), POLL)
      .toEqual({ state: 'delivered', attempts: expect.any(Number), response_status_code: 204 });
    const failure = { response_status_code: 503, error: 'http_status' };
    await expect.poll(() => deliveryTo(down), POLL).toMatchObject(failure);
    // On a loaded machine the error of an attempt can also be a timeout.
    const page = async () => (await reader.get('/', { accept: 'text/html' })).text;
    await expect.poll(async () => (await page()).includes('The last webhook failed: http_status'), POLL).toBe(true);
    isDown = false;
    await expect.poll(async () => (await deliveryTo(down)).state, POLL).toBe('delivered');
    const { headers: first } = down.received[0]!;
    expect(new Set(down.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([first['webhook-id']]));
  });
});

it('shows the last webhook of each alert, also if several have one URL', async () => {
  let isDown = true;
  const receiver = await startTestReceiver(() => (isDown ? { status: 500 } : 204));
  const failing = await viewWithAlert('q=rafter', { webhook_url: receiver.url });
  const silent = await viewWithAlert('q=unmatched', { webhook_url: receiver.url });
  onTestFinished(await startDeliverer());
  await seed(['rafter:1'], 'rafter');
  const alertOf = async ({ id }: Json) =>
    (await reader.get('/views')).body.items.find((view: Json) => view.id === id).alert;
  await expect.poll(async () => (await alertOf(failing)).last_delivery?.error, POLL).toBe('http_status');
  expect(await alertOf(silent)).not.toHaveProperty('last_delivery');
  isDown = false;
  await expect.poll(() => catalog.context.tasks.pendingDeliveries(), POLL).toBe(0);
});

describe('an alert of an issued token', () => {
  const token = 'an-issued-token-of-the-test';
  const issued = () => catalog.client({ token });
  const revoke = () => catalog.database.db.query("delete from access_tokens where name = 'issued'");
  const viewOfIssued = async (query: string, alert: Json = {}): Promise<Json> => {
    await catalog.database.db.query(
      "insert into access_tokens (service, name, role, digest) values ('catalog', 'issued', 'reader', $1)",
      [hash('sha256', token, 'hex')],
    );
    onTestFinished(async () => {
      await revoke();
    });
    await expect.poll(async () => (await issued().get('/views')).status, POLL).toBe(200);
    return viewWithAlert(query, alert, issued());
  };

  it('announces what is indexed directly after the token was issued', async () => {
    const view = await viewOfIssued('q=beam');
    await seed(['beam:1'], 'beam');
    await settled();
    expect(await announced(view, issued())).toEqual(['beam:1']);
  });

  it('sends nothing that is pending when the token is revoked, the view is deleted or the URL is removed', async () => {
    const receiver = await startTestReceiver();
    await viewOfIssued('q=column', { webhook_url: receiver.url });
    const deleted = await viewWithAlert('q=column', { webhook_url: receiver.url });
    const changed = await viewWithAlert('q=column', { webhook_url: receiver.url });
    await seed(['column:1'], 'column');
    await settled();
    const { tasks } = catalog.context;
    expect(await tasks.pendingDeliveries()).toBe(3);
    await revoke();
    await reader.request(`/views/${changed.id}`, { method: 'PATCH', json: { alert: {} } });
    await reader.request(`/views/${deleted.id}`, { method: 'DELETE' });
    const stopDeliverer = await startDeliverer();
    await expect.poll(() => tasks.pendingDeliveries(), POLL).toBe(0);
    await stopDeliverer();
    expect(receiver.received).toEqual([]);
    const { rows } = await catalog.database.db.query(
      "select distinct last_error from deliveries where state = 'failed' and last_error = 'withdrawn'",
    );
    expect(rows).toHaveLength(1);
  });
});

describe('an alert that fails or reaches the statement timeout', () => {
  /** Creates two failing alerts. */
  async function failAlerts(query: string): Promise<void> {
    const { db } = catalog.database;
    await db.query(`create function fail_match() returns trigger language plpgsql as $$
      begin raise exception 'test' using errcode = tg_argv[0]; end $$`);
    onTestFinished(async () => {
      await db.query('drop function fail_match cascade');
    });
    for (const code of ['22012', '57014']) {
      const { id } = await viewWithAlert(query);
      await db.query(`create trigger "fail_${code}" before insert on catalog_matches
        for each row when (new.view_id = '${id}') execute function fail_match('${code}')`);
    }
  }

  it('does not stop other alerts', async () => {
    await failAlerts('q=wall');
    const working = await viewWithAlert('q=wall');
    await seed(['isolated:1'], 'wall');
    await settled();
    expect(await announced(working)).toEqual(['isolated:1']);
  });

  it('does not fail a report or a change of a record that matched before', async () => {
    await seed(['older:1', 'older:2'], 'wall');
    await failAlerts('q=wall');
    await seed(['older:1'], 'floor');
    await settled();
    expect((await reader.get('/row/older:1')).body.text).toContain('floor');
    expect((await reader.post('/reports', { json: { record_id: 'older:2', action_type: 'edit' } })).status).toBe(201);
  });
});

describe('a record that a writer has locked', () => {
  it('is announced later than the others', async () => {
    await seed(['held:1', 'free:1'], 'door');
    const view = await viewWithAlert('q=gate');
    const { db } = catalog.database;
    await db.transaction(async (tx) => {
      await tx.query("select from catalog_records where record_id = 'held:1' for update");
      await db.query(
        "insert into catalog_changes (number) select number from catalog_records where record_id = 'held:1'",
      );
      await seed(['free:1'], 'gate');
      await expect.poll(() => announced(view), POLL).toEqual(['free:1']);
      expect((await db.query('select from catalog_changes')).rowCount).toBe(1);
    });
    await settled();
    await seed(['held:1'], 'gate');
    await settled();
    expect(await announced(view)).toEqual(['free:1', 'held:1']);
  });
});

describe('the form of an alert', () => {
  const HTML = { accept: 'text/html' };
  const send = (id: string, form: Record<string, string>) => reader.post(`/views/${id}/alert`, { form, headers: HTML });

  it('keeps its values and shows the reason when the URL is not valid', async () => {
    const { body: view } = await reader.post('/views', { json: { name: 'form', query: 'q=crack' } });
    const rejected = await send(view.id, { webhook_url: 'http://receiver.example.com/hook', secret: 'my-secret' });
    expect(rejected.status).toBe(422);
    expect(rejected.text).toContain('Webhook URL: The URL must');
    expect(rejected.text).toMatch(/<form[^>]* action="alert"/);
    expect(rejected.text).toContain('value="http://receiver.example.com/hook"');
    expect(rejected.text).not.toContain('my-secret');
    const unsent = await send(view.id, { webhook_url: '', secret: 'my-secret' });
    expect([unsent.status, unsent.text]).toEqual([
      422,
      expect.stringContaining('Webhook URL: Field required with a secret'),
    ]);
    expect((await reader.get('/views')).body.items[0].alert).toBeUndefined();

    const accepted = await send(view.id, { webhook_url: 'https://receiver.example.com/hook', secret: 'my-secret' });
    expect(accepted.status).toBe(303);
    const { db } = catalog.database;
    const { rows } = await db.query('select webhook_url, secret is not null as signed from catalog_alerts');
    expect(rows).toEqual([{ webhook_url: 'https://receiver.example.com/hook', signed: true }]);
    const signed = async (webhook_url: string) => {
      expect((await send(view.id, { webhook_url, secret: '' })).status).toBe(303);
      return (await db.query<{ signed: boolean }>('select secret is not null as signed from catalog_alerts')).rows[0]!
        .signed;
    };
    expect(await signed('https://receiver.example.com/hook')).toBe(true);
    const page = await reader.request('/', { headers: HTML });
    expect(page.text).toContain('Empty: with the same URL');
    expect(await signed('https://receiver.example.com/other')).toBe(false);
    expect(page.text).toContain('name="secret"');
    expect(page.text).not.toContain('my-secret');
  });

  it.each([
    ['en', 'q=a&nosuch=1', 'The search no longer accepts the query of this view (nosuch). Delete the view'],
    ['ru', 'q=a&nosuch=1', 'Поиск больше не принимает запрос этого вида (nosuch). Удалите вид'],
    ['ru', 'duplicates=true', 'Оповещение недоступно для видов с фильтром по повторяющимся фото.'],
  ])('says in the language %s that the stored query %s cannot have an alert', async (language, query, message) => {
    const { body: view } = await reader.post('/views', { json: { name: 'stored', query: '' } });
    await catalog.database.db.query('update catalog_views set query = $2 where id = $1', [view.id, query]);
    const headers = { ...HTML, 'accept-language': language };
    const { status, text } = await reader.post(`/views/${view.id}/alert`, { form: {}, headers });
    expect(status).toBe(422);
    expect(text).toContain(`<p>${message}`);
  });

  it('shows the fields of documents with their labels', async () => {
    const view = await viewWithAlert(`q=${encodeURIComponent('Садовая')}`);
    await catalog.context.db.transaction((tx) => writeRecords(tx, [createEntry('passports', DOCUMENT)]));
    await settled();
    const { text } = await reader.request(`/views/${view.id}/matches`, { headers: HTML });
    expect(text).toMatch(/<dt>Year built<\/dt><dd><bdi>1978/);
  });

  it('leads to a page with the latest matches', async () => {
    const view = await viewWithAlert('q=lintel');
    const matches = () => reader.request(`/views/${view.id}/matches`, { headers: HTML });
    expect((await matches()).text).toContain('No record has matched');
    await seed(['lintel:1', 'lintel:2'], 'lintel');
    await settled();
    const { status, text } = await matches();
    expect(status).toBe(200);
    const [first, second] = ['lintel%3A2', 'lintel%3A1'].map((id) => text.indexOf(`href="../../row/${id}"`));
    expect(first).toBeGreaterThan(0);
    expect(second).toBeGreaterThan(first!);
    const { db } = catalog.database;
    await db.query(`update catalog_records set hidden = true where record_id like 'lintel:%'`);
    expect((await matches()).text).toContain('or those that have are hidden');
    await reader.request(`/views/${view.id}`, { method: 'PATCH', json: { alert: null } });
    expect((await matches()).status).toBe(404);
  });
});

describe('PATCH /views/{id}', () => {
  const patch = (id: string, alert: Json, client = reader) =>
    client.request(`/views/${id}`, { method: 'PATCH', json: { alert } });

  it('sets, replaces and removes the alert of a view', async () => {
    const { body: view } = await reader.post('/views', { json: { name: 'plain', query: 'q=crack' } });
    expect(view.alert).toBeUndefined();
    expect((await reader.get(`/views/${view.id}/matches`)).status).toBe(404);
    const { body } = await patch(view.id, { webhook_url: 'https://receiver.example.com/hook' });
    expect(body).toEqual({
      ...view,
      alert: { webhook_url: 'https://receiver.example.com/hook', since: expect.any(String) },
    });
    expect((await patch(view.id, {})).body.alert).toEqual({ since: body.alert.since });
    expect((await reader.get('/views')).body.items).toEqual([{ ...body, alert: { since: body.alert.since } }]);
    expect((await patch(view.id, null)).body).toEqual(view);
    expect((await patch(view.id, {}, moderator)).status).toBe(404);
  });

  it.each([
    ['an address in a private network', 'q=a', { webhook_url: 'https://10.0.0.1/hook' }, 422],
    ['http to another host', 'q=a', { webhook_url: 'http://receiver.example.com/' }, 422],
    ['a text as URL', 'q=a', { webhook_url: 'hook' }, 422],
    ['a secret without a URL', 'q=a', { secret: 'my-secret' }, 422],
    ['a secret whose key would be empty', 'q=a', { webhook_url: 'https://a.example.com/', secret: 'whsec_!!!' }, 422],
    ['an invalid filter', 'min_conf=7', {}, 422],
    ['an invalid date', 'from=yesterday', {}, 422],
    ['an invalid range', 'range=area', {}, 422],
    ['the filter duplicates', 'q=a&duplicates=true', {}, 422],
    ['the filter duplicates=false', 'duplicates=false', {}, 422],
  ])('rejects %s', async (_, query, alert, status) => {
    expect((await createView(query, alert)).status).toBe(status);
    expect((await reader.get('/views')).body.total).toBe(0);
  });

  it.each([
    ['a query that is refused now', 'q=crack&nosuch=1', 'stored_query_invalid', 'nosuch: The search has no parameter'],
    ['a value that is refused now', 'min_conf=7', 'stored_query_invalid', 'min_conf: Input should be less than'],
    ['the filter duplicates', 'duplicates=true', 'value_error', 'the filter `duplicates`'],
  ])('locates the error of a stored view with %s at the view', async (_, query, type, message) => {
    const { body: view } = await reader.post('/views', { json: { name: 'stored', query: 'q=crack', alert: {} } });
    await catalog.database.db.query('update catalog_views set query = $2 where id = $1', [view.id, query]);
    const { status, body } = await patch(view.id, {});
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ loc: ['path', 'id'], type, msg: expect.stringContaining(message) }]);
    expect((await reader.get('/views')).body.items[0]).toMatchObject({ query, alert: view.alert });
    expect((await patch(view.id, null)).status).toBe(200);
    expect((await reader.request(`/views/${view.id}`, { method: 'DELETE' })).status).toBe(204);
  });

  it('allows 200 alerts in all, of which those of revoked tokens are deleted for new ones', async () => {
    const { db } = catalog.database;
    const { id } = await viewWithAlert('q=own', {}, moderator);
    await db.query(
      `insert into catalog_views (id, owner, name, query)
       select n, (select owner from catalog_views where id = $1), n, '' from generate_series(1, 199) n`,
      [id],
    );
    await db.query(`insert into catalog_alerts (view_id, filters, since_number, since_change, sent)
      select id, '{}', 0, 0, 0 from catalog_views where query = ''`);
    const { status, body } = await createView('q=a');
    expect([status, body.error.code]).toEqual([409, 'TOO_MANY_ALERTS']);
    expect(body.error.message).toContain('200');
    await db.query("update catalog_views set owner = 'token-revoked' where id = '7'");
    expect((await createView('q=a')).status).toBe(201);
    expect((await createView('q=b')).status).toBe(409);
    expect((await db.query("select from catalog_alerts where view_id = '7'")).rowCount).toBe(0);
  });

  it('requires a token, and allows 20 alerts per token', async () => {
    expect((await createView('q=a', {}, catalog.client())).status).toBe(401);
    for (let i = 0; i < 20; i++) expect((await createView('q=a')).status).toBe(201);
    const { status, body } = await createView('q=a');
    expect([status, body.error.code]).toEqual([409, 'TOO_MANY_ALERTS']);
    expect((await createView('q=a', {}, moderator)).status).toBe(201);
    expect((await reader.get('/views')).body.total).toBe(20);
  });

  it('ignores the character NUL in the query of its view', async () => {
    const created = await createView('q=nu%00l');
    expect(created.status).toBe(201);
    const { body: view } = await reader.post('/views', { json: { name: 'later', query: 'q=nu%00l' } });
    const json = { alert: {} };
    expect((await reader.request(`/views/${view.id}`, { method: 'PATCH', json })).status).toBe(200);
    await seed(['without NUL'], 'nul');
    await settled();
    for (const each of [created.body, view]) expect(await announced(each)).toEqual(['without NUL']);
  });

  it('rejects a cursor of another view', async () => {
    const [one, other] = [await viewWithAlert('q=a'), await viewWithAlert('q=b')];
    const { next } = await feed(one);
    expect((await reader.get(`/views/${other.id}/matches?after=${next}`)).status).toBe(422);
  });
});
