import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts';
import { ApiError } from '../../base/api-error.ts';
import { createIdempotencyStore, type SaveResponse } from './idempotency-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await database.db.query('create table effects (value int)');
});
afterAll(() => database.drop());

/** A listener whose `POST /` inserts one row per `value`; `during` runs before its transaction ends. */
function startListener(during: (value: number) => Promise<void> = async () => {}, skipSaving = false) {
  const { db } = database;
  const replies = createIdempotencyStore(db, 'test');
  const app = Fastify();
  app.setErrorHandler((error, _, reply) =>
    reply
      .code(error instanceof ApiError ? error.status : 500)
      .send({ code: (error as Error & { code?: string }).code }),
  );
  app.post<{ Body: { value: number } }>('/', async (request, reply) => {
    const { value } = request.body;
    const act = (keep: SaveResponse) =>
      db.transaction(async (tx) => {
        await tx.query('insert into effects values ($1)', [value]);
        await during(value);
        const answer = { status: 201, body: { value } };
        if (!skipSaving) await keep(tx, answer);
        return answer;
      });
    const { status, body } = await replies.runOnce(request, reply, { principal: 'p', fingerprint: 'ab' }, act);
    return reply.code(status).send(body);
  });
  onTestFinished(() => app.close());
  return async (key: string, value: number) => {
    const { statusCode, headers, json } = await app.inject({
      ...{ method: 'POST', url: '/', payload: { value } },
      headers: { 'idempotency-key': key },
    });
    return { status: statusCode, body: json(), replayed: headers['idempotency-replayed'] };
  };
}

function signal() {
  let send = () => {};
  const sent = new Promise<void>((resolve) => {
    send = resolve;
  });
  return { send, sent };
}

const insertedNumbers = async () =>
  (await database.db.query<{ value: number }>('select value from effects order by value')).rows.map(
    ({ value }) => value,
  );
/** As if the process that holds the keys had exited a minute ago. */
const expireClaims = () => database.db.query(`update replies set claimed_until = now() - interval '1 second'`);

describe('a request with an Idempotency-Key', () => {
  it('returns 409 while the first request runs, and its response afterwards', async () => {
    const [started, go] = [signal(), signal()];
    const send = startListener(async (value) => {
      if (value !== 10) return;
      started.send();
      await go.sent;
    });
    const first = send('running', 10);
    await started.sent;
    expect(await send('running', 11)).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_PROGRESS' } });
    go.send();
    expect(await first).toMatchObject({ status: 201, body: { value: 10 } });
    expect(await send('running', 12)).toEqual({ status: 201, body: { value: 10 }, replayed: 'true' });
    expect((await insertedNumbers()).filter((value) => value >= 10 && value < 20)).toEqual([10]);
  });

  it('takes over the key of a process that exited, and only one of the two requests takes effect', async () => {
    const [started, go] = [signal(), signal()];
    const send = startListener(async (value) => {
      if (value !== 20) return;
      started.send();
      await go.sent;
    });
    const slow = send('taken-over', 20);
    await started.sent;
    await expireClaims();
    expect(await send('taken-over', 21)).toEqual({ status: 201, body: { value: 21 }, replayed: undefined });
    // The first request was only slow.
    go.send();
    expect(await slow).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_PROGRESS' } });
    expect(await send('taken-over', 22)).toEqual({ status: 201, body: { value: 21 }, replayed: 'true' });
    expect((await insertedNumbers()).filter((value) => value >= 20 && value < 30)).toEqual([21]);
  });

  it('releases the key when it fails', async () => {
    const send = startListener(async (value) => {
      if (value === 30) throw new ApiError('NOT_FOUND', 404, 'Not found.');
    });
    expect((await send('failed', 30)).status).toBe(404);
    expect(await send('failed', 31)).toEqual({ status: 201, body: { value: 31 }, replayed: undefined });
  });

  it('returns 500 when the route does not save its response', async () => {
    expect((await startListener(undefined, true)('not-kept', 40)).status).toBe(500);
  });
});
