import { hash, randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { idempotencyInProgress, idempotencyKeyReused } from '../../base/api-error.ts';
import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../../base/db.ts';
import type { JsonObject } from '../../base/json.ts';
import { detailValidation } from '../../http/detail-errors.ts';
import { describeErrors, describeResponse, Failure, failure } from '../../http/envelope.ts';
import { idempotencyKey } from '../../http/idempotency.ts';
import { InvalidInput } from '../../http/validation-details.ts';

export interface SavedResponse {
  readonly status: number;
  readonly body: JsonObject;
}

/** Runs in the transaction of the request's effect, so that both commit or neither does. */
export type SaveResponse = (tx: Queryable, answer: SavedResponse) => Promise<void>;

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

/** For routes whose 422 bodies have `detail`. */
export const idempotencyErrors = {
  409: describeErrors(idempotencyInProgress()),
  422: describeResponse(
    '`VALIDATION_ERROR`, `IDEMPOTENCY_KEY_REUSED`',
    Type.Union([detailValidation.schema, Failure]),
    {
      VALIDATION_ERROR: detailValidation.example,
      IDEMPOTENCY_KEY_REUSED: failure(idempotencyKeyReused(), 'req-1'),
    },
  ),
};

/** A claim that is not renewed for this long belongs to a process that exited. */
const CLAIM_SECONDS = 60;
const RENEW_MS = 20_000;

export function createIdempotencyStore(db: Db, service: string) {
  function hashedKey(request: FastifyRequest, principal: string): Buffer | undefined {
    const clientKey = keyOf(request);
    if (clientKey === undefined) return undefined;
    const route = `${request.method} ${request.routeOptions.url ?? ''}`;
    return hash('sha256', `${service}\0${principal}\0${route}\0${clientKey}`, 'buffer');
  }

  return {
    /** Whether an earlier request has the key of this one. */
    async isUsed(request: FastifyRequest, principal: string): Promise<boolean> {
      const key = hashedKey(request, principal);
      return key !== undefined && (await db.query(READ, [key])).rowCount > 0;
    },

    /**
     * Runs `handle` once per `Idempotency-Key`: a repeated request within 24 hours gets the saved response. `handle` passes
     * its response to `keep` in the transaction of its effect; errors are not saved. `onReplay` runs when `handle` does not,
     * to delete files that this request stored. Without a key it only runs `handle`.
     */
    async runOnce(
      request: FastifyRequest,
      reply: FastifyReply,
      { principal, fingerprint, onReplay }: { principal: string; fingerprint: string; onReplay?: () => Promise<void> },
      handle: (keep: SaveResponse) => Promise<SavedResponse>,
    ): Promise<SavedResponse> {
      const key = hashedKey(request, principal);
      if (key === undefined) return handle(async () => {});
      const fingerprintBytes = Buffer.from(fingerprint, 'hex');
      const held: Claim = [key, randomUUID()];
      // Errors are not saved: a retry may succeed. If the outcome of the commit is unknown, this query waits for the
      // row lock and deletes nothing if the commit succeeded.
      const release = async (error: unknown): Promise<never> => {
        await db.query(RELEASE, held).catch(() => {});
        throw error;
      };
      const first = await claim(db, held, fingerprintBytes).catch(release);
      if (first === undefined) return runWithClaim(db, held, handle).catch(release);
      await onReplay?.();
      if (!first.fingerprint.equals(fingerprintBytes)) throw idempotencyKeyReused();
      if (first.status === null || first.body === null) throw idempotencyInProgress();
      void reply.header('idempotency-replayed', 'true');
      return { status: first.status, body: first.body };
    },

    async deleteExpired(): Promise<void> {
      await db.query(`delete from idempotency_keys where created_at < now() - interval '24 hours'`);
    },
  };
}

type Claim = [key: Buffer, id: string];

interface Row {
  readonly fingerprint: Buffer;
  readonly status: number | null;
  readonly body: JsonObject | null;
}

/** Undefined if this request now holds the key; otherwise the existing row. */
async function claim(db: Db, held: Claim, fingerprint: Buffer): Promise<Row | undefined> {
  const { rowCount } = await db.query(CLAIM, [...held, fingerprint, CLAIM_SECONDS]);
  if (rowCount > 0) return undefined;
  const { rows } = await db.query<Row>(READ, [held[0]]);
  // The first request failed after CLAIM ran, so the key is free again.
  return rows[0] ?? claim(db, held, fingerprint);
}

async function runWithClaim(
  db: Db,
  held: Claim,
  handle: (keep: SaveResponse) => Promise<SavedResponse>,
): Promise<SavedResponse> {
  let isSaved = false;
  const renewal = setInterval(() => {
    // `keep` detects a claim that was not renewed in time.
    db.query(RENEW, [...held, CLAIM_SECONDS]).catch(() => {});
  }, RENEW_MS);
  renewal.unref();
  try {
    const answer = await handle(async (tx, { status, body }) => {
      const { rowCount } = await tx.query(KEEP, [...held, status, JSON.stringify(body)]);
      // The claim expired and a repeated request has taken it over; this one must not take effect too.
      if (rowCount === 0) throw idempotencyInProgress();
      isSaved = true;
    });
    if (!isSaved) throw new Error('The route did not save its response to a request with an Idempotency-Key.');
    return answer;
  } finally {
    clearInterval(renewal);
  }
}

const statement = (name: string, text: string) => ({ name: `idempotency-${name}`, text, limitMs: CLIENT_LIMIT_MS });

/** Waits for an open transaction that has saved a response under the key. */
const CLAIM = statement(
  'claim',
  `
    insert into idempotency_keys as existing (key, claim, fingerprint, claimed_until)
    values ($1, $2, $3, now() + make_interval(secs => $4))
    on conflict (key) do update
       set claim = excluded.claim, fingerprint = excluded.fingerprint, claimed_until = excluded.claimed_until,
           status = null, body = null, created_at = now()
     where existing.created_at < now() - interval '24 hours'
        or (existing.status is null and coalesce(existing.claimed_until, existing.created_at + interval '15 minutes') < now())`,
);
const READ = statement('read', 'select fingerprint, status, body from idempotency_keys where key = $1');
const RENEW = statement(
  'renew',
  `
    update idempotency_keys set claimed_until = now() + make_interval(secs => $3)
     where key = $1 and claim = $2 and status is null`,
);
const KEEP = statement('keep', 'update idempotency_keys set status = $3, body = $4 where key = $1 and claim = $2');
const RELEASE = statement('release', 'delete from idempotency_keys where key = $1 and claim = $2 and status is null');

function keyOf(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'];
  try {
    return idempotencyKey(header);
  } catch (error) {
    const loc = ['header', 'idempotency-key'];
    throw new InvalidInput([{ loc, msg: (error as Error).message, type: 'string_pattern_mismatch' }]);
  }
}
