import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Db } from '../base/db.ts';
import { idempotencyInProgress, idempotencyKeyReused } from '../base/faults.ts';
import type { JsonObject } from '../base/json.ts';
import { detailValidation } from '../http/detail-errors.ts';
import { InvalidInput } from '../http/details.ts';
import { reply as answer, Failure, failure, refusal } from '../http/envelope.ts';
import { idempotencyKey } from '../http/idempotency.ts';

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/** Makes a repeated request be answered as the first was, and not done twice. */
export interface Replies {
  /**
   * What `act` answers; without an `Idempotency-Key` that is all. With one, the first request of a caller acts, and its
   * answer is kept for 24 hours; a repetition is answered the same, also where other bytes came by the same name.
   * What `act` throws is not kept. `onReplay` is called where nothing was done: what this request brought can go.
   */
  once(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: { principal: string; fingerprint: string; onReplay?: () => Promise<void> },
    act: () => Promise<Answer>,
  ): Promise<Answer>;
  tidy(): Promise<void>;
}

/** What a repeated request may be refused with, where 422 answers are `detail` bodies; for a route's `response`. */
export const repetitionRefused = {
  409: refusal(idempotencyInProgress()),
  422: answer('`VALIDATION_ERROR`, `IDEMPOTENCY_KEY_REUSED`', Type.Union([detailValidation.schema, Failure]), {
    VALIDATION_ERROR: detailValidation.example,
    IDEMPOTENCY_KEY_REUSED: failure(idempotencyKeyReused(), 'req-1'),
  }),
};

const KEEP = 'update replies set status = $2, body = $3 where key = $1';

/** A request that has run for so long has died with its process. */
const STALE = '15 minutes';

export function openReplies(db: Db, service: string): Replies {
  return {
    async once(request, reply, { principal, fingerprint, onReplay }, act) {
      const word = keyOf(request);
      if (word === undefined) return act();
      const route = `${request.method} ${request.routeOptions.url ?? ''}`;
      const key = hash('sha256', `${service}\0${principal}\0${route}\0${word}`, 'buffer');
      const print = Buffer.from(fingerprint, 'hex');
      const first = await claim(db, key, print);
      if (first !== undefined) {
        await onReplay?.();
        if (!first.fingerprint.equals(print)) throw idempotencyKeyReused();
        if (first.status === null || first.body === null) throw idempotencyInProgress();
        void reply.header('idempotency-replayed', 'true');
        return { status: first.status, body: first.body };
      }
      const answer = await act().catch(async (error: unknown) => {
        // A refusal is not kept: the next try may do better. That this cannot be said leaves the claim to grow stale.
        await db.query('delete from replies where key = $1 and status is null', [key]).catch(() => {});
        throw error;
      });
      // What was done is done, whether or not a repetition will be told of it.
      await db.query(KEEP, [key, answer.status, JSON.stringify(answer.body)]).catch((err: unknown) => {
        request.log.warn({ err }, 'an answer could not be kept for repetitions of its request');
      });
      return answer;
    },

    async tidy() {
      await db.query(`delete from replies where created_at < now() - interval '24 hours'`);
    },
  };
}

interface Row {
  readonly fingerprint: Buffer;
  readonly status: number | null;
  readonly body: JsonObject | null;
}

/** Undefined when the key is now ours; otherwise what was written under it before. */
async function claim(db: Db, key: Buffer, fingerprint: Buffer): Promise<Row | undefined> {
  const { rowCount } = await db.query(
    `insert into replies as mine (key, fingerprint)
     values ($1, $2)
     on conflict (key) do update
        set fingerprint = excluded.fingerprint, status = null, body = null, created_at = now()
      where mine.created_at < now() - interval '24 hours'
         or (mine.status is null and mine.created_at < now() - interval '${STALE}')`,
    [key, fingerprint],
  );
  if (rowCount > 0) return undefined;
  const { rows } = await db.query<Row>('select fingerprint, status, body from replies where key = $1', [key]);
  // It was there a moment ago: its request has just failed, and this one may try.
  return rows[0] ?? claim(db, key, fingerprint);
}

function keyOf(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'];
  try {
    return idempotencyKey(header);
  } catch (error) {
    const loc = ['header', 'idempotency-key'];
    throw new InvalidInput([{ loc, msg: (error as Error).message, type: 'string_pattern_mismatch' }]);
  }
}
