import { hash, randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../base/db.ts';
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

/** Writes the answer for repetitions. Runs in the transaction of the request's effect, so that both are committed or neither. */
export type Keep = (tx: Queryable, answer: Answer) => Promise<void>;

/** Makes a repeated request be answered as the first was, and not done twice. */
export interface Replies {
  /**
   * Returns what `act` answers; without an `Idempotency-Key` that is all. With one, the first request of a caller acts and
   * passes its answer to `keep` in the transaction of its effect. For 24 hours a repetition gets the kept answer, also where
   * the client never got the first one. What `act` throws is not kept. `onReplay` is called where nothing was done, to
   * remove what this request stored.
   */
  once(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: { principal: string; fingerprint: string; onReplay?: () => Promise<void> },
    act: (keep: Keep) => Promise<Answer>,
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

/** A claim that is not renewed for this long belongs to a request that died with its process. */
const CLAIM_SECONDS = 60;
const RENEW_MS = 20_000;

export function openReplies(db: Db, service: string): Replies {
  return {
    async once(request, reply, { principal, fingerprint, onReplay }, act) {
      const word = keyOf(request);
      if (word === undefined) return act(async () => {});
      const route = `${request.method} ${request.routeOptions.url ?? ''}`;
      const key = hash('sha256', `${service}\0${principal}\0${route}\0${word}`, 'buffer');
      const print = Buffer.from(fingerprint, 'hex');
      const mine: Claim = [key, randomUUID()];
      // A refusal is not kept: the next try may succeed. Where the outcome of the commit is unknown, this waits for the lock
      // that the transaction has on the row, and removes nothing if it was committed.
      const release = async (error: unknown): Promise<never> => {
        await db.query(RELEASE, mine).catch(() => {});
        throw error;
      };
      const first = await claim(db, mine, print).catch(release);
      if (first === undefined) return runOnce(db, mine, act).catch(release);
      await onReplay?.();
      if (!first.fingerprint.equals(print)) throw idempotencyKeyReused();
      if (first.status === null || first.body === null) throw idempotencyInProgress();
      void reply.header('idempotency-replayed', 'true');
      return { status: first.status, body: first.body };
    },

    async tidy() {
      await db.query(`delete from replies where created_at < now() - interval '24 hours'`);
    },
  };
}

/** A key that a request holds, and the id by which the row tells this request from others. */
type Claim = [key: Buffer, id: string];

interface Row {
  readonly fingerprint: Buffer;
  readonly status: number | null;
  readonly body: JsonObject | null;
}

/** Undefined when the key is now ours; otherwise what was written under it before. */
async function claim(db: Db, mine: Claim, fingerprint: Buffer): Promise<Row | undefined> {
  const { rowCount } = await db.query(CLAIM, [...mine, fingerprint, CLAIM_SECONDS]);
  if (rowCount > 0) return undefined;
  const { rows } = await db.query<Row>(READ, [mine[0]]);
  // It was there a moment ago: its request has just failed, and this one may try.
  return rows[0] ?? claim(db, mine, fingerprint);
}

/** Acts while the claim is renewed. */
async function runOnce(db: Db, mine: Claim, act: (keep: Keep) => Promise<Answer>): Promise<Answer> {
  let kept = false;
  const renewal = setInterval(() => {
    // A claim that could not be renewed in time is found in `keep`.
    db.query(RENEW, [...mine, CLAIM_SECONDS]).catch(() => {});
  }, RENEW_MS);
  renewal.unref();
  try {
    const answer = await act(async (tx, { status, body }) => {
      const { rowCount } = await tx.query(KEEP, [...mine, status, JSON.stringify(body)]);
      // The claim expired, and a repetition of this request has the key: this one must not take effect too.
      if (rowCount === 0) throw idempotencyInProgress();
      kept = true;
    });
    if (!kept) throw new Error('A request with an Idempotency-Key took effect and kept no answer.');
    return answer;
  } finally {
    clearInterval(renewal);
  }
}

const limitMs = CLIENT_LIMIT_MS;

/** Waits for a transaction that has written an answer under the key and is not over yet. */
const CLAIM = {
  name: 'reply-claim',
  limitMs,
  text: `
    insert into replies as held (key, claim, fingerprint, claimed_until)
    values ($1, $2, $3, now() + make_interval(secs => $4))
    on conflict (key) do update
       set claim = excluded.claim, fingerprint = excluded.fingerprint, claimed_until = excluded.claimed_until,
           status = null, body = null, created_at = now()
     where held.created_at < now() - interval '24 hours'
        or (held.status is null and coalesce(held.claimed_until, held.created_at + interval '15 minutes') < now())`,
};
const READ = { name: 'reply-read', limitMs, text: 'select fingerprint, status, body from replies where key = $1' };
const RENEW = {
  name: 'reply-renew',
  limitMs,
  text: `
    update replies set claimed_until = now() + make_interval(secs => $3)
     where key = $1 and claim = $2 and status is null`,
};
const KEEP = {
  name: 'reply-keep',
  limitMs,
  text: 'update replies set status = $3, body = $4 where key = $1 and claim = $2',
};
const RELEASE = {
  name: 'reply-release',
  limitMs,
  text: 'delete from replies where key = $1 and claim = $2 and status is null',
};

function keyOf(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'];
  try {
    return idempotencyKey(header);
  } catch (error) {
    const loc = ['header', 'idempotency-key'];
    throw new InvalidInput([{ loc, msg: (error as Error).message, type: 'string_pattern_mismatch' }]);
  }
}
