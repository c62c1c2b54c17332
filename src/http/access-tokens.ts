import type { Queryable } from '../base/db.ts';

/** A token or key that was issued here, beside those of the settings. Its text is kept nowhere. */
export interface AccessToken {
  readonly service: string;
  /** What people call it: one of a kind within its service. */
  readonly name: string;
  /** What its holder may do, in the words of its service. */
  readonly role: string;
  /** SHA-256 as hex text. */
  readonly digest: string;
}

/** As it is listed: those that have expired too, until they are revoked or their name is given anew. */
export interface ListedToken extends AccessToken {
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly expired: boolean;
}

/** Writes a token down; undefined where the service has one of that name that has not expired. */
export async function issue(
  db: Queryable,
  { service, name, role, digest, lifetimeSeconds }: AccessToken & { lifetimeSeconds?: number | undefined },
): Promise<{ readonly expiresAt: Date | null } | undefined> {
  const { rows } = await db.query<{ expiresAt: Date | null }>(
    `insert into access_tokens as had (service, name, role, digest, expires_at)
     values ($1, $2, $3, $4, now() + make_interval(secs => $5))
     on conflict (service, name) do update
       set role = excluded.role, digest = excluded.digest, created_at = now(), expires_at = excluded.expires_at
     where had.expires_at <= now()
     returning expires_at as "expiresAt"`,
    [service, name, role, digest, lifetimeSeconds ?? null],
  );
  return rows[0];
}

/**
 * Takes the token of that name away. Where several services have one and none is named, nothing is taken; the answer is
 * whose they are, or were.
 */
export async function revoke(
  db: Queryable,
  { name, service }: { name: string; service?: string | undefined },
): Promise<readonly { readonly service: string; readonly revoked: boolean }[]> {
  const { rows } = await db.query<{ service: string; revoked: boolean }>(
    `with named as (
       select service from access_tokens where name = $1 and ($2::text is null or service = $2)),
     gone as (
       delete from access_tokens
        where name = $1 and service in (select service from named) and (select count(*) from named) = 1
       returning service)
     select service, gone.service is not null as revoked
       from named left join gone using (service)
      order by service`,
    [name, service ?? null],
  );
  return rows;
}

/** All of them, by service and name. */
export async function listed(db: Queryable): Promise<readonly ListedToken[]> {
  const { rows } = await db.query<ListedToken>(
    `select service, name, role, digest, created_at as "createdAt", expires_at as "expiresAt",
            coalesce(expires_at <= now(), false) as expired
       from access_tokens
      order by service, name`,
  );
  return rows;
}

/** Those that are good, with the milliseconds for which they still are, counted by the database's clock. */
export async function inForce(db: Queryable): Promise<readonly (AccessToken & { readonly leftMs: number | null })[]> {
  const { rows } = await db.query<AccessToken & { leftMs: number | null }>(IN_FORCE);
  return rows;
}

// Every gateway asks once a second.
const IN_FORCE = {
  name: 'tokens-in-force',
  limitMs: 1000,
  text: `
    select service, name, role, digest, (extract(epoch from expires_at - now()) * 1000)::float8 as "leftMs"
      from access_tokens
     where expires_at is null or expires_at > now()
     order by service, name`,
};
