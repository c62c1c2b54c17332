import { setImmediate as immediate } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Db, openDb } from '../base/db.ts';
import { createLog } from '../base/log.ts';
import { rest } from '../base/loop.ts';
import { type TestDatabase, testDatabase } from '../base/testing/database.ts';
import type { Gateway } from './gateway.ts';
import { type SharedLimits, shareLimits } from './shared-limits.ts';
import { BEARER, testGateway } from './testing/gateway.ts';

/** A gateway with everything real but the clock that it counts by. */
interface Member {
  readonly app: Gateway;
  readonly limits: SharedLimits;
  /** One request: its status, and how long it is told to wait. */
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

async function gateway(id: string, options: { limit?: number; db?: Db; beatMs?: number } = {}): Promise<Member> {
  const { limit = 1000, db = database.db, beatMs = 20 } = options;
  const over = new AbortController();
  const registry = new Registry();
  const log = createLog('silent', 'test');
  const limits = shareLimits({ db, id, registry, log, signal: over.signal, now: () => at, beatMs });
  const { app } = await testGateway({ limiter: limits.window('sample', { limit }) });
  const leave = async () => {
    over.abort();
    await limits.left;
    await app.close();
  };
  ends.push(leave);
  return {
    ...{ app, limits, leave },
    async ask() {
      await immediate(); // requests that come without a network would leave the beats no time
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
  while (!(await condition())) await rest(5);
}

const sharing = (...members: Member[]) => until(() => members.every(({ limits }) => limits.mode() === 'sharing'));

/** Asks until it is refused, and answers how often it was not. */
async function drain(ask: Member['ask']): Promise<number> {
  for (let passed = 0; ; passed++) if ((await ask()).status !== 200) return passed;
}

describe('a gateway that is alone', () => {
  it('lets exactly 1000 of 1000 pass, and the database holds no points', async () => {
    const only = await gateway('a');
    expect(await drain(only.ask)).toBe(1000);
    expect(only.limits.mode()).toBe('alone');
    expect((await database.db.query('select from rate_points')).rowCount).toBe(0);
    expect(await only.metric('assay_rate_limit_gateways')).toBe(1);
  });
});

describe('several gateways', () => {
  it('never let more than the limit pass in any minute together, and miss little of it', async () => {
    const members = [await gateway('a'), await gateway('b'), await gateway('c')];
    await sharing(...members);
    await until(async () => (await members[0]!.metric('assay_rate_limit_gateways')) === 3);
    const passed: number[] = [];
    let refused = 0;
    // Two minutes of a client that sends 25 requests a second, now to one and now to another, in runs and by turns.
    for (let i = 0; i < 3000; i++, at += 40) {
      const member = members[i % 7 < 3 ? i % 3 : Math.floor(i / 50) % 3]!;
      if ((await member.ask()).status === 200) passed.push(at);
      else refused++;
    }
    for (const from of passed) {
      expect(passed.filter((time) => time >= from && time < from + 60_000).length).toBeLessThanOrEqual(1000);
    }
    expect(refused).toBeGreaterThan(700);
    expect(passed.filter((time) => time < passed[0]! + 60_000).length).toBeGreaterThan(900);
  });

  it('lets all of a limit pass through one when the other has nothing to do', async () => {
    const [a, b] = [await gateway('a'), await gateway('b')];
    await sharing(a, b);
    expect(await drain(a.ask)).toBe(1000);
    expect(await drain(b.ask)).toBe(0);
    at += 60_000;
    // What has aged is given back within a beat, and then the other may use it.
    await until(async () => {
      at += 1000;
      return (await b.ask()).status === 200;
    });
    expect(await drain(b.ask)).toBeGreaterThan(900);
  });

  it('answer from memory while they hold points: a hundred requests ask the database a few times', async () => {
    // As in life: with quicker beats more of a block is given back before it is used.
    const [a, b] = [await gateway('a', { beatMs: 1000 }), await gateway('b', { beatMs: 1000 })];
    await sharing(a, b);
    let asked = 0;
    const { query, transaction } = database.db;
    database.db.transaction = (...given) => {
      asked++;
      return transaction(...given);
    };
    for (let i = 0; i < 100; i++) expect((await a.ask()).status).toBe(200);
    expect(asked).toBeLessThanOrEqual(3);
    expect(await drain(a.ask)).toBe(900);
    const before = asked;
    for (let i = 0; i < 100; i++) expect((await a.ask()).status).toBe(429);
    expect(asked - before).toBeLessThanOrEqual(1);
    Object.assign(database.db, { query, transaction });
  });

  it('a newcomer is told what the first has let through before it lets anything through', async () => {
    const first = await gateway('a');
    expect(await drain(first.ask)).toBe(1000);
    const second = await gateway('b');
    expect((await second.ask()).status).toBe(429);
    expect([first.limits.mode(), second.limits.mode()]).toEqual(['sharing', 'sharing']);
  });

  it('let through no more than the limit, however shortly one starts after the other', async () => {
    for (const [round, gapMs] of [0, 0, 5, 10, 20, 30].entries()) {
      const first = await gateway(`a${round}`, { limit: 100, beatMs: 60 });
      await rest(gapMs);
      const second = await gateway(`b${round}`, { limit: 100, beatMs: 60 });
      const passed = await Promise.all([drain(first.ask), drain(second.ask)]);
      expect(passed[0] + passed[1], `${gapMs} ms`).toBeLessThanOrEqual(100);
      await Promise.all([first.leave(), second.leave()]);
      await database.db.query('truncate rate_gateways, rate_points');
    }
  });

  it('a client that waits as long as it was told is let through, whichever gateway it then asks', async () => {
    const [a, b] = [await gateway('a', { limit: 20 }), await gateway('b', { limit: 20 })];
    await sharing(a, b);
    await drain(a.ask);
    at += 20_000;
    const { status, waitSeconds } = await b.ask();
    expect(status).toBe(429);
    expect(waitSeconds).toBeLessThanOrEqual(62);
    at += waitSeconds * 1000;
    const untold = async () => {
      const { rows } = await database.db.query<{ points: number }>(
        `select coalesce(sum(points), 0) as points from rate_points where gateway = 'a'`,
      );
      return rows[0]!.points === 0;
    };
    await until(untold);
    expect((await b.ask()).status).toBe(200);
  });

  it("what a gateway held that has gone is missing for a while, and then anybody's", async () => {
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

  it('count different clients and limiters by themselves', async () => {
    const [a, b] = [await gateway('a', { limit: 10 }), await gateway('b', { limit: 10 })];
    await sharing(a, b);
    const login = a.limits.window('login', { limit: 10 })!;
    for (let i = 0; i < 10; i++) expect(await login.take('someone')).toMatchObject({ allowed: true });
    expect(await login.take('someone')).toMatchObject({ allowed: false });
    expect(await login.take('someone else')).toMatchObject({ allowed: true });
    expect(await drain(b.ask)).toBe(10);
  });

  it('let requests pass when the database does not answer, count it, and share again when it is back', async () => {
    const db = openDb({ url: database.url, log: createLog('silent', 'test'), max: 2 });
    const [a, b] = [await gateway('a', { db }), await gateway('b')];
    await sharing(a, b);
    for (let i = 0; i < 300; i++) await a.ask();
    const { query, transaction } = db;
    const away = () => Promise.reject(new Error('Connection terminated unexpectedly'));
    Object.assign(db, { query: away, transaction: away });
    // Alone again, it counts what it has let through.
    expect(await drain(a.ask)).toBe(700);
    expect(a.limits.mode()).toBe('unshared');
    expect(await a.metric('assay_rate_limit_store_failures_total')).toBeGreaterThan(0);
    Object.assign(db, { query, transaction });
    await sharing(a, b);
    expect((await b.ask()).status).toBe(429);
    ends.push(() => db.close());
  });
});
