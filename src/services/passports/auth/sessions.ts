import { hash, randomBytes } from 'node:crypto';
import { CLIENT_LIMIT_MS, type Db } from '../../../base/db.ts';

export const SESSION_LIFETIME_SECONDS = 30 * 86_400;
/** Age from which the cookie is renewed. */
const RENEW_SECONDS = 86_400;
/** Since the last renewal; not shorter than the cookie's lifetime. */
const KNOWN_SECONDS = SESSION_LIFETIME_SECONDS + RENEW_SECONDS;

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(db: Db) {
  return {
    /** Stores only the digest of the cookie. */
    async create() {
      const cookie = randomBytes(32).toString('base64url');
      const session = digestOf(cookie);
      await db.query(BEGIN, [session]);
      return { cookie, session };
    },

    /**
     * Undefined for cookies that were not issued here: clients cannot choose a session. If the lookup `renewed` the
     * session, the response renews the cookie too.
     */
    async find(cookie: string | undefined) {
      if (!isCookie(cookie)) return undefined;
      const session = digestOf(cookie);
      const { rows } = await db.query<{ renewed: boolean }>(SEEN, [session, KNOWN_SECONDS, RENEW_SECONDS]);
      return rows[0] && { session, renewed: rows[0].renewed };
    },

    async end(cookie: string | undefined) {
      if (isCookie(cookie)) await db.query('delete from passport_sessions where digest = $1', [digestOf(cookie)]);
    },

    async revokeToken(jti: string, expiresAt: Date) {
      await db.query('insert into passport_revoked_tokens (jti, expires_at) values ($1, $2) on conflict do nothing', [
        jti,
        expiresAt,
      ]);
    },

    async isTokenRevoked(jti: string) {
      const { rowCount } = await db.query(DENIED, [jti]);
      return rowCount > 0;
    },

    /** The ended sessions and revoked tokens among these, in one query. */
    async findInvalid({ sessions, tokens }: { sessions: readonly string[]; tokens: readonly string[] }) {
      const { rows } = await db.query<{ id: string }>(OVER, [sessions, tokens, KNOWN_SECONDS]);
      return new Set(rows.map(({ id }) => id));
    },

    async deleteExpired() {
      await db.query(`delete from passport_revoked_tokens where expires_at < now() - interval '1 minute'`);
      await db.query('delete from passport_sessions where seen_at < now() - make_interval(secs => $1)', [
        KNOWN_SECONDS,
      ]);
    },
  };
}

// Every request waits for one of these queries.
const limitMs = CLIENT_LIMIT_MS;
const BEGIN = { name: 'passport-session', limitMs, text: 'insert into passport_sessions (digest) values ($1)' };
const DENIED = { name: 'passport-denied', limitMs, text: 'select from passport_revoked_tokens where jti = $1' };
const OVER = {
  name: 'passport-over',
  limitMs,
  text: `
    select candidate.digest as id
      from unnest($1::text[]) as candidate (digest)
     where not exists (select from passport_sessions s
                        where s.digest = candidate.digest and s.seen_at > now() - make_interval(secs => $3))
     union all
    select jti from passport_revoked_tokens where jti = any($2::text[])`,
};
/** `seen_at` is the time of the last renewal, so at most one request a day writes. */
const SEEN = {
  name: 'passport-session-seen',
  limitMs,
  text: `
    with renewed as (
      update passport_sessions
         set seen_at = now()
       where digest = $1
         and seen_at > now() - make_interval(secs => $2)
         and seen_at <= now() - make_interval(secs => $3)
      returning 1)
    select exists (select from renewed) as renewed
      from passport_sessions
     where digest = $1 and seen_at > now() - make_interval(secs => $2)`,
};

const COOKIE = /^[A-Za-z0-9_-]{43}$/;
const isCookie = (text: string | undefined): text is string => text !== undefined && COOKIE.test(text);
const digestOf = (cookie: string) => hash('sha256', cookie, 'hex');
