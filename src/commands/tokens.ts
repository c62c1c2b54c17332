import { hash, randomBytes } from 'node:crypto';
import type { Db } from '../base/db.ts';
import { OperatorError } from '../base/operator-error.ts';
import { type Config, loadConfig, onDatabase } from '../config.ts';
import { deleteToken, insertToken, type ListedToken, readTokens } from '../http/access-tokens.ts';
import { SANDBOX_ROLE } from '../http/sandbox-credential.ts';
import { principalOf } from '../http/token-store.ts';
import type { DatabaseConfig } from '../service-databases.ts';
import type { OpenService } from '../services/shared/service.ts';
import { databaseOf, withExistingDatabase } from './existing-database.ts';
import { alignColumns, notMigrated, throwOperatorError } from './terminal.ts';

export interface CreateOptions {
  readonly service: string;
  readonly name: string;
  readonly role?: string;
  /** `90d`, `12h` or `30m`; absent: until it is revoked. */
  readonly expires?: string;
  /** The client that the token belongs to, for fair scheduling. */
  readonly owner?: string;
  readonly json?: boolean;
}

/** `assay tokens create`: prints the token to standard output, notes about it to standard error. */
export async function createToken(options: CreateOptions): Promise<void> {
  const { service, name, owner } = options;
  if (!NAME.test(name)) {
    throw new OperatorError('--name must be 1 to 64 letters, digits, dots, dashes and underscores.');
  }
  const lifetimeSeconds = options.expires === undefined ? undefined : lifetimeSecondsOf(options.expires);
  if (owner !== undefined && !NAME.test(owner)) {
    throw new OperatorError('--owner must be 1 to 64 letters, digits, dots, dashes and underscores.');
  }
  const planned = await planOf();
  const { tokenOptions, title } = serviceOf(planned, service);
  const role = roleOf(options.role, tokenOptions.roles, service);

  const kind = role === SANDBOX_ROLE ? `${SANDBOX_ROLE}_${service}` : service;
  const token = `assay_${kind}_${randomBytes(32).toString('base64url')}`;
  const digest = hash('sha256', token, 'hex');
  const created = await inTokens(planned, databaseOf(planned, service), (db) =>
    insertToken(db, { service, name, role, digest, owner: owner ?? null, lifetimeSeconds }),
  );
  if (created === undefined) {
    throw new OperatorError(`${title} already has a token named ${name}; revoke it first, or use another name.`);
  }
  const until = created.expiresAt?.toISOString();
  if (options.json) {
    const result = { service, name, role, ...(owner && { owner }), token, principal: principalOf(digest, role) };
    console.log(JSON.stringify({ ...result, ...(until && { expires_at: until }) }));
  } else console.log(token);
  console.error('Copy the token now: only its digest is stored. It is valid on all listeners within two seconds.');
  if (until && !options.json) console.error(`It expires at ${until}.`);
  if (tokenOptions.unusedReason !== undefined)
    console.error(`It has no effect at present: ${tokenOptions.unusedReason}.`);
}

export type RevokeOptions = Partial<Pick<CreateOptions, 'service'>>;
export type ListOptions = Partial<Pick<CreateOptions, 'service' | 'json'>>;

/** `assay tokens list`: lists issued tokens, expired ones included, without their values. */
export async function listTokens({ service, json }: ListOptions): Promise<void> {
  const planned = await planOf();
  if (service !== undefined) serviceOf(planned, service);
  const shown = await readAllTokens(planned, service);
  if (json) return console.log(JSON.stringify({ tokens: shown.map(asJson) }, null, 2));
  if (shown.length === 0) return console.error('No tokens have been issued. Tokens of the settings are not listed.');
  const rows = shown.map(({ name, service, role, owner, digest, createdAt, expiresAt, expired }) => [
    ...[name, service, role, owner ?? '-', principalOf(digest, role), dayOf(createdAt)],
    expired ? 'expired' : expiresAt ? dayOf(expiresAt) : 'never',
  ]);
  for (const line of alignColumns([['NAME', 'SERVICE', 'ROLE', 'OWNER', 'IN LOGS', 'CREATED', 'EXPIRES'], ...rows]))
    console.log(line);
}

/** `assay tokens revoke NAME` */
export async function revokeToken(name: string, { service }: RevokeOptions): Promise<void> {
  const planned = await planOf();
  if (service !== undefined) serviceOf(planned, service);
  const found = (await readAllTokens(planned, service)).filter((token) => token.name === name);
  const [token] = found;
  if (token && found.length === 1) {
    await inTokens(planned, databaseOf(planned, token.service), (db) =>
      deleteToken(db, { name, service: token.service }),
    );
    return console.log(`Revoked ${name} of ${token.service}; all listeners reject it within two seconds.`);
  }
  if (found.length === 0)
    throw new OperatorError(`No token named ${name} was issued; see \`node scripts/assay.mjs tokens list\`.`);
  const services = found.map((each) => each.service).join(', ');
  throw new OperatorError(`Several services have a token named ${name}: ${services}. Specify one with --service.`);
}

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };
/** 100 years, an arbitrary upper bound. */
const LONGEST_LIFETIME_SECONDS = 36_500 * 86_400;

function lifetimeSecondsOf(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,6})([mhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (SECONDS[unit ?? ''] ?? Number.NaN);
  if (seconds <= LONGEST_LIFETIME_SECONDS) return seconds;
  throw new OperatorError(`--expires must be a number of days, hours or minutes like 90d, 12h or 30m, not ${text}.`);
}

const planOf = () => loadConfig({ LOG_LEVEL: 'warn', ...process.env }, 'tokens');

/** Of all databases or, of a service, only of its own; a copied database can also have those of services that use another one. */
async function readAllTokens(planned: Config, service: string | undefined): Promise<ListedToken[]> {
  const tokens: ListedToken[] = [];
  for (const database of service === undefined ? planned.databases : [databaseOf(planned, service)]) {
    const stored = await inTokens(planned, database, readTokens);
    tokens.push(...stored.filter((token) => !database.servicesElsewhere.includes(token.service)));
  }
  return tokens.filter((token) => service === undefined || token.service === service);
}

function inTokens<T>(config: Config, database: DatabaseConfig, run: (db: Db) => Promise<T>): Promise<T> {
  const where = {
    planned: onDatabase(config, database),
    applicationName: 'assay-tokens',
    nothing: 'There is no database',
  };
  return withExistingDatabase(where, run).catch(notMigrated('There is no token table')).catch(throwOperatorError);
}

function serviceOf({ services }: Config, name: string): OpenService {
  const found = services.find((service) => service.name === name);
  if (found) return found;
  const names = services.map((service) => service.name).join(', ');
  throw new OperatorError(`Unknown service ${name}. Services: ${names}.`);
}

function roleOf(role: string | undefined, roles: OpenService['tokenOptions']['roles'], service: string): string {
  if (role === undefined) return roles[0];
  if (roles.includes(role)) return role;
  throw new OperatorError(`--role of ${service} must be ${roles.join(' or ')}, not ${role}.`);
}

const dayOf = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')}Z`;

const asJson = ({ name, service, role, owner, digest, createdAt, expiresAt, expired }: ListedToken) => ({
  ...{ name, service, role, ...(owner && { owner }) },
  ...{ principal: principalOf(digest, role), created_at: createdAt.toISOString() },
  ...(expiresAt && { expires_at: expiresAt.toISOString(), expired }),
});
