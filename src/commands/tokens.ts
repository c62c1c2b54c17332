import { hash, randomBytes } from 'node:crypto';
import type { Db } from '../base/db.ts';
import { OperatorError } from '../base/operator-error.ts';
import { issue, type ListedToken, listed, revoke } from '../http/access-tokens.ts';
import { type Plan, plan } from '../plan.ts';
import type { OpenService } from '../services/service.ts';
import { inExistingDatabase } from './existing-database.ts';
import { inTable } from './in-table.ts';
import { lifetimeSecondsOf } from './lifetime.ts';
import { inWords, notMigrated } from './telling.ts';

export interface CreateOptions {
  readonly service: string;
  readonly name: string;
  readonly role?: string;
  /** As `lifetimeSecondsOf` reads it; absent: until it is revoked. */
  readonly expires?: string;
  readonly json?: boolean;
}

/** `assay tokens create`: the new token on standard output, once and alone; what there is to know of it beside it. */
export async function createToken(options: CreateOptions): Promise<void> {
  const { service, name } = options;
  if (!NAME.test(name)) {
    throw new OperatorError('--name takes 1 to 64 letters, digits, dots, dashes and underscores.');
  }
  const lifetimeSeconds = options.expires === undefined ? undefined : lifetimeSecondsOf(options.expires);
  const planned = await planOf();
  const { issues, title } = serviceOf(planned, service);
  const role = roleOf(options.role, issues.roles, service);

  const token = `assay_${service}_${randomBytes(32).toString('base64url')}`;
  const digest = hash('sha256', token, 'hex');
  const made = await inTokens(planned, (db) => issue(db, { service, name, role, digest, lifetimeSeconds }));
  if (made === undefined) {
    throw new OperatorError(`${title} has a token named ${name}; revoke it first, or take another name.`);
  }
  const until = made.expiresAt?.toISOString();
  if (options.json) {
    const told = { service, name, role, token, principal: principalOf(digest), ...(until && { expires_at: until }) };
    console.log(JSON.stringify(told));
  } else console.log(token);
  console.error(`Shown once: only its digest is kept. Every listener takes it within two seconds.`);
  if (until && !options.json) console.error(`It is good until ${until}.`);
  if (issues.unused !== undefined) console.error(`It changes nothing for now: ${issues.unused}.`);
}

/** `assay tokens list`: what has been issued and is good or was; never a token. */
export async function listTokens({ service, json }: { service?: string; json?: boolean }): Promise<void> {
  const planned = await planOf();
  if (service !== undefined) serviceOf(planned, service);
  const all = await inTokens(planned, listed);
  const shown = all.filter((token) => service === undefined || token.service === service);
  if (json) return console.log(JSON.stringify({ tokens: shown.map(asJson) }, null, 2));
  if (shown.length === 0) return console.error('None has been issued; those of the settings are not listed.');
  const rows = shown.map(({ name, service, role, digest, createdAt, expiresAt, expired }) => [
    ...[name, service, role, principalOf(digest), dayOf(createdAt)],
    expired ? 'has expired' : expiresAt ? dayOf(expiresAt) : 'never',
  ]);
  for (const line of inTable([['NAME', 'SERVICE', 'ROLE', 'IN LOGS', 'CREATED', 'EXPIRES'], ...rows]))
    console.log(line);
}

/** `assay tokens revoke NAME`: from then on it opens nothing. */
export async function revokeToken(name: string, { service }: { service?: string }): Promise<void> {
  const planned = await planOf();
  if (service !== undefined) serviceOf(planned, service);
  const found = await inTokens(planned, (db) => revoke(db, { name, service }));
  const gone = found.find(({ revoked }) => revoked);
  if (gone) return console.log(`${name} of ${gone.service} opens nothing any more, within two seconds everywhere.`);
  if (found.length === 0) throw new OperatorError(`No token named ${name} was issued; see \`assay tokens list\`.`);
  const services = found.map((each) => each.service).join(', ');
  throw new OperatorError(`There is a token named ${name} of each of ${services}; --service says which one.`);
}

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

const planOf = () => plan({ LOG_LEVEL: 'warn', ...process.env }, 'tokens');

function inTokens<T>(planned: Plan, run: (db: Db) => Promise<T>): Promise<T> {
  const where = { planned, applicationName: 'assay-tokens', nothing: 'There is no database' };
  return inExistingDatabase(where, run).catch(notMigrated('There is no place for tokens')).catch(inWords);
}

function serviceOf({ services }: Plan, name: string): OpenService {
  const found = services.find((service) => service.name === name);
  if (found) return found;
  const names = services.map((service) => service.name).join(', ');
  throw new OperatorError(`There is no service named ${name} here; there are ${names}.`);
}

function roleOf(given: string | undefined, roles: OpenService['issues']['roles'], service: string): string {
  if (given === undefined) return roles[0];
  if (roles.includes(given)) return given;
  throw new OperatorError(`--role of ${service} is ${roles.join(' or ')}, not ${given}.`);
}

/** What stands for it in logs and in rows: the same as for a token of the settings. */
const principalOf = (digest: string) => `token-${digest.slice(0, 12)}`;

/** To the minute, in UTC and saying so. */
const dayOf = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')}Z`;

const asJson = ({ name, service, role, digest, createdAt, expiresAt, expired }: ListedToken) => ({
  ...{ name, service, role, principal: principalOf(digest), created_at: createdAt.toISOString() },
  ...(expiresAt && { expires_at: expiresAt.toISOString(), expired }),
});
