import { hash, randomBytes } from 'node:crypto';
import { CLIENT_LIMIT_MS, type Db } from '../../../base/db.ts';

/** How long a browser keeps its session, and we keep it after its last visit. */
export const SESSION_SECONDS = 30 * 86_400;

/** Browsers' sessions and given-back tokens, as the database remembers them. */
export interface Visits {
  /** A new session: the cookie's value, of which only the digest is kept, and that digest. */
  begin(): Promise<{ cookie: string; session: string }>;
  /** The digest of a cookie that was given out here; undefined for any other: a client does not choose its session. */
  session(cookie: string | undefined): Promise<string | undefined>;
  /** Refuses a token from now on. */
  deny(jti: string, expiresAt: Date): Promise<void>;
  denied(jti: string): Promise<boolean>;
  /** Removes what has had its time. */
  tidy(): Promise<void>;
}

const COOKIE = /^[A-Za-z0-9_-]{43}$/;
/** A session that was there a minute ago is still there: nothing ends one but its time. */
const REMEMBER_MS = 60_000;
const MOST_REMEMBERED = 10_000;

export function openVisits(db: Db): Visits {
  const seen = new Map<string, number>();
  const remember = (digest: string) => {
    if (seen.size >= MOST_REMEMBERED) seen.delete(seen.keys().next().value!);
    seen.delete(digest);
    seen.set(digest, Date.now());
    return digest;
  };

  return {
    async begin() {
      const cookie = randomBytes(32).toString('base64url');
      const digest = digestOf(cookie);
      await db.query(BEGIN, [digest]);
      return { cookie, session: remember(digest) };
    },

    async session(cookie) {
      if (cookie === undefined || !COOKIE.test(cookie)) return undefined;
      const digest = digestOf(cookie);
      if (Date.now() - (seen.get(digest) ?? 0) < REMEMBER_MS) return digest;
      const { rowCount } = await db.query(SEEN, [digest, SESSION_SECONDS]);
      return rowCount === 0 ? undefined : remember(digest);
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

    async tidy() {
      await db.query(`delete from passport_denied_tokens where expires_at < now() - interval '1 minute'`);
      await db.query('delete from passport_sessions where seen_at < now() - make_interval(secs => $1)', [
        SESSION_SECONDS,
      ]);
    },
  };
}

// Every request waits for one of these before anything else.
const limitMs = CLIENT_LIMIT_MS;
const BEGIN = { name: 'passport-session', limitMs, text: 'insert into passport_sessions (digest) values ($1)' };
const DENIED = { name: 'passport-denied', limitMs, text: 'select from passport_denied_tokens where jti = $1' };
const SEEN = {
  name: 'passport-session-seen',
  limitMs,
  text: `
    update passport_sessions
       set seen_at = now()
     where digest = $1 and seen_at > now() - make_interval(secs => $2)`,
};

const digestOf = (cookie: string) => hash('sha256', cookie, 'hex');
