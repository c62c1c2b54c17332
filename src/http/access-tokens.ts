import type { Queryable } from '../base/db.ts';

/** A token or key issued by `assay tokens`, in addition to those in the settings. Only its digest is stored. */
export interface AccessToken {
  readonly service: string;
  /** Unique within its service. */
  readonly name: string;
  /** A role that the service defines. */
  readonly role: string;
  /** SHA-256 as hex text. */
  readonly digest: string;
  /** The client that shares workers with others; null: the token itself. */
  readonly owner?: string | null;
}

/** Includes expired tokens until they are revoked or their name is reused. */
export interface ListedToken extends AccessToken {
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly expired: boolean;
}

/** Undefined if the service already has an unexpired token with this name. */
export async function insertToken(
  db: Queryable,
  { service, name, role, digest, owner, lifetimeSeconds }: AccessToken & { lifetimeSeconds?: number | undefined },
): Promise<{ readonly expiresAt: Date | null } | undefined> {
  const { rows } = await db.query<{ expiresAt: Date | null }>(
    `insert into access_tokens as had (service, name, role, digest, expires_at, owner)
     values ($1, $2, $3, $4, now() + make_interval(secs => $5), $6)
     on conflict (service, name) do update
       set role = excluded.role, digest = excluded.digest, created_at = now(), expires_at = excluded.expires_at,
           owner = excluded.owner
     where had.expires_at <= now()
     returning expires_at as "expiresAt"`,
    [service, name, role, digest, lifetimeSeconds ?? null, owner ?? null],
  );
  return rows[0];
}

/**
 * Deletes the token with this name; returns the services that have one. Without `service`, deletes nothing if several
 * services have one.
 */
export async function deleteToken(
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

export async function readTokens(db: Queryable): Promise<readonly ListedToken[]> {
  const { rows } = await db.query<ListedToken>(
    `select service, name, role, digest, owner, created_at as "createdAt", expires_at as "expiresAt",
            coalesce(expires_at <= now(), false) as expired
       from access_tokens
      order by service, name`,
  );
  return rows;
}

/** Unexpired tokens with their remaining milliseconds by the database's clock. */
export const readValidTokens = async (db: Queryable) =>
  (await db.query<AccessToken & { readonly leftMs: number | null }>(IN_FORCE)).rows;

// Every gateway runs this once a second.
const IN_FORCE = {
  name: 'tokens-in-force',
  limitMs: 1000,
  text: `
    select service, name, role, digest, owner, (extract(epoch from expires_at - now()) * 1000)::float8 as "leftMs"
      from access_tokens
     where expires_at is null or expires_at > now()
     order by service, name`,
};
