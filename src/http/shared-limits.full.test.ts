import { setImmediate as immediate } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { BEARER, testGateway } from '../../test/support/gateway.ts';
import { type Db, openDb } from '../base/db.ts';
import { createLog } from '../base/log.ts';
import { sleep } from '../base/loop.ts';
import type { Gateway } from './gateway.ts';
import { createSharedLimits, type SharedLimits } from './shared-limits.ts';

/** A real gateway with a fake clock. */
interface Member {
  readonly app: Gateway;
  readonly limits: SharedLimits;
  /** Sends one request. */
  ask(): Promise<{ status: number; waitSeconds: number; remaining: number }>;
  metric(name: string): Promise<number>;
  leave(): Promise<void>;
}

let database: TestDatabase;
let at = 0;
const ends: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  database = await testDatabase();
  at = 1_000_000;
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await database.drop();
});

async function gateway(
  id: string,
  options: { limit?: number; db?: Db; heartbeatIntervalMs?: number } = {},
): Promise<Member> {
  const { limit = 1000, db = database.db, heartbeatIntervalMs = 20 } = options;
  const stop = new AbortController();
  const registry = new Registry();
  const log = createLog('silent', 'test');
  const limits = createSharedLimits({ db, id, registry, log, signal: stop.signal, now: () => at, heartbeatIntervalMs });
  const { app } = await testGateway({ limiter: limits.window('sample', { limit }) });
  const leave = async () => {
    stop.abort();
    await limits.left;
    await app.close();
  };
  ends.push(leave);
  return {
    ...{ app, limits, leave },
    async ask() {
      await immediate(); // lets heartbeats run between requests without a network
      const { statusCode, headers } = await app.inject({ url: '/result/a', headers: BEARER });
      const [, remaining] = /r=(\d+)/.exec(String(headers['ratelimit']))!;
      return { status: statusCode, waitSeconds: Number(headers['retry-after']), remaining: Number(remaining) };
    },
    async metric(name) {
      const { values } = (await registry.getSingleMetric(name)!.get()) as { values: { value: number }[] };
      return values[0]!.value;
    },
  };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}

const sharing = (...members: Member[]) => until(() => members.every(({ limits }) => limits.mode() === 'sharing'));

/** Sends requests until one is rejected; returns the number of allowed ones. */
async function drain(ask: Member['ask']): Promise<number> {
  for (let passed = 0; ; passed++) if ((await ask()).status !== 200) return passed;
}

describe('a single gateway', () => {
  it('allows exactly the limit without points in the database', async () => {
    const only = await gateway('a');
    expect(await drain(only.ask)).toBe(1000);
    expect(only.limits.mode()).toBe('alone');
    expect((await database.db.query('select from rate_points')).rowCount).toBe(0);
    expect(await only.metric('assay_rate_limit_gateways')).toBe(1);
  });
});

describe('several gateways', () => {
  it('together never exceed the limit in any minute and use most of it', async () => {
    const members = [await gateway('a'), await gateway('b'), await gateway('c')];
    await sharing(...members);
    await until(async () => (await members[0]!.metric('assay_rate_limit_gateways')) === 3);
    const passed: number[] = [];
    let rejected = 0;
    // A client sends 25 requests per second for two minutes, alternating and in runs.
    for (let i = 0; i < 3000; i++, at += 40) {
      const member = members[i % 7 < 3 ? i % 3 : Math.floor(i / 50) % 3]!;
      if ((await member.ask()).status === 200) passed.push(at);
      else rejected++;
    }
    for (const from of passed) {
      expect(passed.filter((time) => time >= from && time < from + 60_000).length).toBeLessThanOrEqual(1000);
    }
    expect(rejected).toBeGreaterThan(700);
    expect(passed.filter((time) => time < passed[0]! + 60_000).length).toBeGreaterThan(900);
  });

  it('give the whole limit to one gateway while the other is idle', async () => {
    const [a, b] = [await gateway('a'), await gateway('b')];
    await sharing(a, b);
    expect(await drain(a.ask)).toBe(1000);
    expect(await drain(b.ask)).toBe(0);
    at += 60_000;
    // Expired points are released within a heartbeat.
    await until(async () => {
      at += 1000;
      return (await b.ask()).status === 200;
    });
    expect(await drain(b.ask)).toBeGreaterThan(900);
  });

  it('decide from memory while they hold points, with few database requests', async () => {
    // The real interval: faster heartbeats would release unused points of a block.
    const [a, b] = [
      await gateway('a', { heartbeatIntervalMs: 1000 }),
      await gateway('b', { heartbeatIntervalMs: 1000 }),
    ];
    await sharing(a, b);
    let leases = 0;
    const { query, transaction } = database.db;
    database.db.transaction = (...parameters) => {
      leases++;
      return transaction(...parameters);
    };
    for (let i = 0; i < 100; i++) expect((await a.ask()).status).toBe(200);
    expect(leases).toBeLessThanOrEqual(3);
    expect(await drain(a.ask)).toBe(900);
    const before = leases;
    for (let i = 0; i < 100; i++) expect((await a.ask()).status).toBe(429);
    expect(leases - before).toBeLessThanOrEqual(1);
    Object.assign(database.db, { query, transaction });
  });

  it('include the requests of the first gateway before a new one allows any', async () => {
    const first = await gateway('a');
    expect(await drain(first.ask)).toBe(1000);
    const second = await gateway('b');
    expect((await second.ask()).status).toBe(429);
    expect([first.limits.mode(), second.limits.mode()]).toEqual(['sharing', 'sharing']);
  });

  it('do not exceed the limit when one starts shortly after the other', async () => {
    for (const [round, gapMs] of [0, 0, 5, 10, 20, 30].entries()) {
      const first = await gateway(`a${round}`, { limit: 100, heartbeatIntervalMs: 60 });
      await sleep(gapMs);
      const second = await gateway(`b${round}`, { limit: 100, heartbeatIntervalMs: 60 });
      const passed = await Promise.all([drain(first.ask), drain(second.ask)]);
      expect(passed[0] + passed[1], `${gapMs} ms`).toBeLessThanOrEqual(100);
      await Promise.all([first.leave(), second.leave()]);
      await database.db.query('truncate rate_gateways, rate_points');
    }
  });

  it('allow a request at any gateway after the announced wait', async () => {
    const [a, b] = [await gateway('a', { limit: 20 }), await gateway('b', { limit: 20 })];
    await sharing(a, b);
    await drain(a.ask);
    at += 20_000;
    const { status, waitSeconds } = await b.ask();
    expect(status).toBe(429);
    expect(waitSeconds).toBeLessThanOrEqual(62);
    at += waitSeconds * 1000;
    const hasReleased = async () => {
      const { rows } = await database.db.query<{ points: number }>(
        `select coalesce(sum(points), 0) as points from rate_points where gateway = 'a'`,
      );
      return rows[0]!.points === 0;
    };
    await until(hasReleased);
    expect((await b.ask()).status).toBe(200);
  });

  it('can use the points of a departed gateway after they expire', async () => {
    const [a, b] = [await gateway('a'), await gateway('b')];
    await sharing(a, b);
    for (let i = 0; i < 400; i++) await a.ask();
    await a.leave();
    const mostOfB = await drain(b.ask);
    expect(mostOfB).toBeLessThanOrEqual(600);
    expect(mostOfB).toBeGreaterThan(450);
    await database.db.query(`update rate_points set kept_until = now() - interval '1 s' where gateway = 'a'`);
    at += 1000;
    expect(await drain(b.ask)).toBe(1000 - mostOfB);
  });

  it('count clients and limiters separately', async () => {
    const [a, b] = [await gateway('a', { limit: 10 }), await gateway('b', { limit: 10 })];
    await sharing(a, b);
    const login = a.limits.window('login', { limit: 10 })!;
    for (let i = 0; i < 10; i++) expect(await login.take('someone')).toMatchObject({ allowed: true });
    expect(await login.take('someone')).toMatchObject({ allowed: false });
    expect(await login.take('someone else')).toMatchObject({ allowed: true });
    expect(await drain(b.ask)).toBe(10);
  });

  it('fail open while the database is unavailable, count failures and share again afterwards', async () => {
    const db = openDb({ url: database.url, log: createLog('silent', 'test'), max: 2 });
    const [a, b] = [await gateway('a', { db }), await gateway('b')];
    await sharing(a, b);
    for (let i = 0; i < 300; i++) await a.ask();
    const { query, transaction } = db;
    const fail = () => Promise.reject(new Error('Connection terminated unexpectedly'));
    Object.assign(db, { query: fail, transaction: fail });
    // Counts for itself, including its earlier requests.
    expect(await drain(a.ask)).toBe(700);
    expect(a.limits.mode()).toBe('unshared');
    expect(await a.metric('assay_rate_limit_store_failures_total')).toBeGreaterThan(0);
    Object.assign(db, { query, transaction });
    await sharing(a, b);
    const pointsOfA = `select coalesce(sum(points), 0)::int as points from rate_points where gateway = 'a'`;
    await until(async () => (await database.db.query<{ points: number }>(pointsOfA)).rows[0]!.points >= 1000);
    expect((await b.ask()).status).toBe(429);
    ends.push(() => db.close());
  });
});
