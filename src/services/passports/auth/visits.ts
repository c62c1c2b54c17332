import { hash, randomBytes } from 'node:crypto';
import { CLIENT_LIMIT_MS, type Db } from '../../../base/db.ts';

/** How long a browser keeps its session's cookie. */
export const SESSION_SECONDS = 30 * 86_400;
/** A cookie that is older is given out anew. */
const RENEW_SECONDS = 86_400;
/** So a session is known for as long as a browser keeps its cookie, counted from its last visit. */
const KNOWN_SECONDS = SESSION_SECONDS + RENEW_SECONDS;

/** A session that is known, by the digest of its cookie. */
export interface Visit {
  readonly session: string;
  /** Whether its time has just begun anew: once, so that one answer gives the cookie out again. */
  readonly renewed: boolean;
}

/** Browsers' sessions and given-back tokens, as the database remembers them. */
export interface Visits {
  /** A new session: the cookie's value, of which only the digest is kept, and that digest. */
  begin(): Promise<{ cookie: string; session: string }>;
  /** Whose cookie this is, if it was given out here; undefined for any other: a client does not choose its session. */
  session(cookie: string | undefined): Promise<Visit | undefined>;
  /** Forgets the session of a cookie: from now on it is any other. */
  end(cookie: string | undefined): Promise<void>;
  /** Refuses a token from now on. */
  deny(jti: string, expiresAt: Date): Promise<void>;
  denied(jti: string): Promise<boolean>;
  /** Which of these sessions have ended, and which of these tokens were denied: one query for all of them. */
  over(asked: { sessions: readonly string[]; tokens: readonly string[] }): Promise<ReadonlySet<string>>;
  /** Removes what has had its time. */
  tidy(): Promise<void>;
}

export function openVisits(db: Db): Visits {
  return {
    async begin() {
      const cookie = randomBytes(32).toString('base64url');
      const session = digestOf(cookie);
      await db.query(BEGIN, [session]);
      return { cookie, session };
    },

    async session(cookie) {
      if (!isCookie(cookie)) return undefined;
      const session = digestOf(cookie);
      const { rows } = await db.query<{ renewed: boolean }>(SEEN, [session, KNOWN_SECONDS, RENEW_SECONDS]);
      return rows[0] && { session, renewed: rows[0].renewed };
    },

    async end(cookie) {
      if (isCookie(cookie)) await db.query('delete from passport_sessions where digest = $1', [digestOf(cookie)]);
    },

    async deny(jti, expiresAt) {
      await db.query('insert into passport_denied_tokens (jti, expires_at) values ($1, $2) on conflict do nothing', [
        jti,
        expiresAt,
      ]);
    },

    async denied(jti) {
      const { rowCount } = await db.query(DENIED, [jti]);
      return rowCount > 0;
    },

    async over({ sessions, tokens }) {
      const { rows } = await db.query<{ id: string }>(OVER, [sessions, tokens, KNOWN_SECONDS]);
      return new Set(rows.map(({ id }) => id));
    },

    async tidy() {
      await db.query(`delete from passport_denied_tokens where expires_at < now() - interval '1 minute'`);
      await db.query('delete from passport_sessions where seen_at < now() - make_interval(secs => $1)', [
        KNOWN_SECONDS,
      ]);
    },
  };
}

// Every request waits for one of these before anything else.
const limitMs = CLIENT_LIMIT_MS;
const BEGIN = { name: 'passport-session', limitMs, text: 'insert into passport_sessions (digest) values ($1)' };
const DENIED = { name: 'passport-denied', limitMs, text: 'select from passport_denied_tokens where jti = $1' };
const OVER = {
  name: 'passport-over',
  limitMs,
  text: `
    select asked.digest as id
      from unnest($1::text[]) as asked (digest)
     where not exists (select from passport_sessions s
                        where s.digest = asked.digest and s.seen_at > now() - make_interval(secs => $3))
     union all
    select jti from passport_denied_tokens where jti = any($2::text[])`,
};
/** `seen_at` is when the cookie was last given out: known or not is only read, but for one request a day. */
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
