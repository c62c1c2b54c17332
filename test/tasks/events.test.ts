import { hash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { createSignal } from '../../src/base/loop.ts';
import { createEventStore } from '../../src/tasks/events.ts';
import { readEventStream } from '../support/event-stream.ts';
import { type Product, startProduct, TOKEN } from '../support/product.ts';

const CLIENTS = Array.from({ length: 80 }, (_, i) => `client-token-${i}`);
/** For the test of a thousand feeds. */
const MANY = CLIENTS.slice(30);
const principalOf = (token: string) => `token-${hash('sha256', token, 'hex').slice(0, 12)}`;

describe('GET /events', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct({
      env: {
        DEFECTOSCOPY_API_TOKENS: [TOKEN, ...CLIENTS].join(','),
        DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0',
        EVENT_FEEDS_PER_CLIENT: '20',
        EVENT_FEEDS_TOTAL: '1000',
      },
      roles: ['sweep'],
    });
  });
  afterAll(() => product.stop());

  let stop = new AbortController();
  afterEach(() => {
    stop.abort();
    stop = new AbortController();
  });
  const openStream = (token: string, headers: Record<string, string> = {}, query = '') =>
    fetch(`${product.url}/events${query}`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...headers },
      signal: stop.signal,
    });
  const countOpen = async () => {
    const { values } = await product.gateway.metrics.registry.getSingleMetric('assay_event_feeds_open')!.get();
    return values.reduce((sum, { value }) => sum + value, 0);
  };

  /** Ends a new task of the token without a worker. */
  const endTask = async (token: string) => {
    const id = newId();
    const task = { service: 'defectoscopy', priority: 'realtime', input: {}, estimateSeconds: 1 } as const;
    await product.context.tasks.accept({ ...task, id, principal: principalOf(token), ttlSeconds: 86_400 });
    const { status } = await product.call(`/result/${id}/cancel`, { method: 'POST', token });
    expect(status).toBe(200);
    return id;
  };

  let clients = 0;
  /** Each test has its own client, so its own feed. */
  const newClient = () => {
    const token = CLIENTS[clients++]!;
    const get = (query = '', headers: Record<string, string> = {}) =>
      product.call(`/events${query}`, { token, headers });
    return {
      token,
      get,
      end: () => endTask(token),
      events: async (query = '') => (await get(query)).body.data,
      stream: (headers?: Record<string, string>, query?: string) => openStream(token, headers, query),
    };
  };

  it('returns the events of the tasks of the token', async () => {
    const client = newClient();
    const other = newClient();
    await other.end();
    const id = await client.end();
    const { events, next, more } = await client.events();
    expect(events).toEqual([
      {
        id: expect.stringMatching(/^evt_[\w-]{27}$/),
        type: 'defectoscopy.result.terminal',
        service: 'defectoscopy',
        task_id: id,
        created_at: expect.stringMatching(/^\d{10}$/),
        status: 'failed',
        error_code: 'CANCELLED',
      },
    ]);
    expect(next).toBe(events[0].id);
    expect(more).toBe(false);
    expect(await client.events(`?after=${next}`)).toEqual({ events: [], next, more: false });
  });

  it('returns pages', async () => {
    const client = newClient();
    const ids = [await client.end(), await client.end(), await client.end()];
    const first = await client.events('?limit=2');
    expect(first.more).toBe(true);
    const second = await client.events(`?limit=2&after=${first.next}`);
    expect(second.more).toBe(false);
    expect([...first.events, ...second.events].map(({ task_id }: any) => task_id)).toEqual(ids);
  });

  it('waits for an event, and returns none after the wait', async () => {
    const client = newClient();
    const { next } = await client.events('?wait=1');
    const waiting = client.events(`?wait=20&after=${next}`);
    const id = await client.end();
    expect((await waiting).events).toMatchObject([{ task_id: id }]);
  });

  it('starts with new events after `latest`', async () => {
    const client = newClient();
    await client.end();
    const { events, next } = await client.events('?after=latest');
    expect(events).toEqual([]);
    const id = await client.end();
    expect((await client.events(`?after=${next}`)).events).toMatchObject([{ task_id: id }]);
  });

  it.each([
    ['a forged cursor', () => `evt_${'A'.repeat(27)}`],
    ['no cursor', () => '17'],
    ['a cursor of another token', async () => (await newClient().events()).next as string],
    [
      'the cursor of a future event',
      ({ token }: ReturnType<typeof newClient>) =>
        product.gateway.events.cursors.serialize({ service: 'defectoscopy', principal: principalOf(token) }, 1e12),
    ],
  ])('returns 422 for %s', async (_, cursorFor) => {
    const client = newClient();
    const { status, body } = await client.get(`?after=${await cursorFor(client)}`);
    expect([status, body.error.code]).toEqual([422, 'VALIDATION_ERROR']);
  });

  it.each(['limit=0', 'limit=1001', 'wait=31', 'wait=-1', 'limit=x'])('returns 422 for %s', async (query) => {
    expect((await newClient().get(`?${query}`)).status).toBe(422);
  });

  it('returns 401 without a token', async () => {
    expect((await product.call('/events', { token: null })).status).toBe(401);
  });

  it('returns 410 with the earliest cursor when the events after the cursor were deleted', async () => {
    const client = newClient();
    const { next: old } = await client.events();
    await client.end();
    const { next: earliest } = await client.events();
    await product.database.db.query('update task_events set expires_at = now() where principal = $1', [
      principalOf(client.token),
    ]);
    await createEventStore(product.context.db).deleteExpired(new AbortController().signal);
    const id = await client.end();
    const { status, body } = await client.get(`?after=${old}`);
    expect([status, body.error]).toMatchObject([410, { code: 'EVENTS_EXPIRED', details: { earliest } }]);
    expect((await client.stream({ 'last-event-id': old })).status).toBe(410);
    expect((await client.events(`?after=${earliest}`)).events).toMatchObject([{ task_id: id }]);
  });

  it('streams the events, and resumes after the last event id', async () => {
    const client = newClient();
    const first = await client.end();
    const response = await client.stream();
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const stream = readEventStream(response);
    const message = await stream.next();
    expect(message).toMatchObject({ event: 'defectoscopy.result.terminal', data: { task_id: first } });
    expect(message!.id).toBe(message!.data.id);
    const second = await client.end();
    expect((await stream.next())!.data.task_id).toBe(second);

    const third = await client.end();
    const resumed = await client.stream({ 'last-event-id': message!.id! });
    const rest = readEventStream(resumed);
    expect([(await rest.next())!.data.task_id, (await rest.next())!.data.task_id]).toEqual([second, third]);
  });

  it('gives a stream of new events an id to resume from before its first event', async () => {
    const client = newClient();
    await client.end();
    const stream = readEventStream(await client.stream({}, '?after=latest'));
    const next = stream.next();
    const id = await client.end();
    expect((await next)!.data.task_id).toBe(id);
    const resumed = readEventStream(await client.stream({}, '?after=latest'));
    void resumed.next();
    await expect.poll(() => resumed.lastId()).toMatch(/^evt_/);
  });

  it('ends a stream within seconds after its token was revoked', async () => {
    const token = 'issued-token-1';
    const { db } = product.database;
    await db.query(
      `insert into access_tokens (service, name, role, digest) values ('defectoscopy', 'issued', 'user', $1)`,
      [hash('sha256', token, 'hex')],
    );
    const isKnown = async () => (await product.call('/events', { token })).status;
    await expect.poll(isKnown, { timeout: 10_000 }).toBe(200);
    const stream = readEventStream(await openStream(token));
    const last = stream.next();
    await db.query(`delete from access_tokens where name = 'issued'`);
    const revokedMs = performance.now();
    expect(await last).toMatchObject({ event: 'end' });
    // Two seconds, with reserve for a busy machine.
    expect(performance.now() - revokedMs).toBeLessThan(5000);
    expect(await stream.next()).toBeUndefined();
  });

  it('closes a stream whose client disconnected before it began', async () => {
    const { token } = newClient();
    await expect.poll(countOpen, { timeout: 20_000 }).toBe(0);
    const [locked, release] = [createSignal(), createSignal()];
    const reading = product.database.db.transaction(async (tx) => {
      await tx.query('lock table task_events in access exclusive mode');
      locked.notify();
      await release.wait();
    });
    await locked.wait();
    const { hostname, port } = new URL(product.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
    );
    await expect.poll(countOpen).toBe(1);
    socket.destroy();
    await setTimeout(200);
    release.notify();
    await reading;
    await expect.poll(countOpen, { timeout: 5000 }).toBe(0);
  });

  it('returns 422 for an invalid last event id', async () => {
    expect((await newClient().stream({ 'last-event-id': '7' })).status).toBe(422);
  });

  it('returns 429 above the limit of open feeds of a token, but not for polls without `wait`', async () => {
    const client = newClient();
    const streams: Response[] = [];
    for (let i = 0; i < 20; i++) streams.push(await client.stream());
    const { status, headers, body } = await client.get('?wait=1');
    expect([status, headers.get('retry-after'), body.error.code]).toEqual([429, '5', 'RATE_LIMIT_EXCEEDED']);
    expect((await client.get()).status).toBe(200);
    // Used last: `fetch` closes the connection of a response that is garbage-collected.
    for (const stream of streams) expect(stream.status).toBe(200);
  });

  it('serves a thousand open feeds, then returns 503, and 429 above the limit of a token', {
    tags: ['full'],
    timeout: 60_000,
  }, async () => {
    await expect.poll(countOpen, { timeout: 20_000 }).toBe(0);
    setMaxListeners(0, stop.signal);
    const open = async (token: string) => ({ token, response: await openStream(token, {}, '?after=latest') });
    const streams: Awaited<ReturnType<typeof open>>[] = [];
    for (const token of MANY) streams.push(...(await Promise.all(Array.from({ length: 20 }, () => open(token)))));
    expect(new Set(streams.map(({ response }) => response.status))).toEqual(new Set([200]));
    expect(await countOpen()).toBe(1000);
    expect((await open(MANY[0]!)).response.status).toBe(429);
    const { response: full } = await open(CLIENTS[0]!);
    expect([full.status, full.headers.get('retry-after')]).toEqual([503, '5']);
    // Without `wait`, a poll is no open feed.
    expect((await product.call('/events', { token: MANY[0]! })).status).toBe(200);

    const idByToken = new Map<string, string>();
    const received = streams.map(({ token, response }) => ({ token, next: readEventStream(response).next() }));
    for (const token of MANY) idByToken.set(token, await endTask(token));
    for (const { token, next } of received) expect((await next)!.data.task_id).toBe(idByToken.get(token));
    stop.abort();
    await expect.poll(countOpen, { timeout: 20_000 }).toBe(0);
  });
});

it('GET /events answers waiting requests and ends streams when the gateway stops', async () => {
  const product = await startProduct({ roles: [] });
  const headers = { authorization: `Bearer ${TOKEN}` };
  const stream = readEventStream(
    await fetch(`${product.url}/events`, { headers: { ...headers, accept: 'text/event-stream' } }),
  );
  const waiting = product.call('/events?wait=30');
  const open = product.gateway.metrics.registry.getSingleMetric('assay_event_feeds_open')!;
  await expect.poll(async () => (await open.get()).values.reduce((sum, { value }) => sum + value, 0)).toBe(2);
  const last = stream.next();
  await product.stop();
  expect(await last).toMatchObject({ event: 'end' });
  expect((await waiting).body.data).toMatchObject({ events: [], more: false });
});
