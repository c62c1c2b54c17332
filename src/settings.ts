import { createPrivateKey } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { networkText } from './base/addresses.ts';
import { readBucketUrl } from './base/files/bucket-url.ts';
import { listedHost } from './base/outbound-url.ts';
import { parsedUrl } from './base/parsed-url.ts';
import {
  type Agreement,
  appEnv,
  choice,
  integer,
  LONGEST_SECONDS,
  list,
  type Setting,
  secondsList,
  text,
  verbatim,
} from './base/settings.ts';
import { traceSettings } from './base/trace-settings.ts';
import { oneToken } from './http/token-settings.ts';
import { services } from './services/index.ts';

/** The settings of the house; each service adds its own. Names and defaults are documented by `assay config`. */
export const houseSettings = {
  appEnv,
  host: text('HOST', undefined, 'Address to listen on; 127.0.0.1 in `local`, 0.0.0.0 otherwise.'),
  services: list(
    'SERVICES',
    [],
    'Services that this installation runs, comma-separated; empty: all of them.',
    (name) => {
      if (services.some((service) => service.name === name)) return name;
      throw new Error(`"${name}" is no service; there are ${services.map((service) => service.name).join(', ')}.`);
    },
  ),
  dataDir: text('DATA_DIR', './data', 'Where everything is kept: the embedded database, files, keys, trained models.'),
  databaseUrl: postgresUrl(
    'DATABASE_URL',
    'Any PostgreSQL from version 15; not set: a PostgreSQL of our own under DATA_DIR.',
  ),
  databaseDirectUrl: postgresUrl(
    'DATABASE_DIRECT_URL',
    'The same database without the pooler that DATABASE_URL leads to: for the one connection per process that listens.',
  ),
  databasePooling: choice(
    'DATABASE_POOLING',
    ['session', 'transaction'],
    'session',
    '`transaction`: DATABASE_URL leads to a pooler that changes the connection behind it with every transaction.',
  ),
  filesUrl: text(
    'FILES_URL',
    undefined,
    'Bucket of an S3-compatible storage for all files: `s3://bucket/prefix?endpoint=https://host:port&region=name`; not set: DATA_DIR/files.',
    bucketUrl,
  ),
  s3AccessKeyId: verbatim('S3_ACCESS_KEY_ID', 'Key that opens the bucket of FILES_URL.', { secret: true }),
  s3SecretAccessKey: verbatim('S3_SECRET_ACCESS_KEY', 'Its secret.', { secret: true }),
  filesHost: text(
    'FILES_HOST',
    undefined,
    'Reserved host name of files uploaded to the product; files.assay.internal in `local`, otherwise not set, which switches POST /files off.',
    (host) => listedHost(host),
  ),
  filesQuotaBytes: integer(
    'FILES_QUOTA_BYTES',
    10 * 1024 ** 3,
    'Bytes that one credential may hold: as uploaded files for tasks, and apart from them as documents and waiting images of passports (by API key; by session where there is none).',
  ),
  resultTtlSeconds: integer('RESULT_TTL_SECONDS', 86_400, 'How long a task can be read, from its queueing.', {
    min: 60,
    max: 366 * 86_400,
  }),
  taskDeadlineSeconds: integer('TASK_DEADLINE_SECONDS', 82_800, 'An unfinished task fails after this; below the TTL.', {
    min: 1,
    max: LONGEST_SECONDS,
  }),
  workerMaxAttempts: integer('WORKER_MAX_ATTEMPTS', 3, 'Attempts at one task, lost workers and transient failures.', {
    min: 1,
    max: 100,
  }),
  batchMaxWaitSeconds: integer('BATCH_MAX_WAIT_SECONDS', 3600, 'After this long, batch work is treated as realtime.', {
    max: LONGEST_SECONDS,
  }),
  estimateMode: choice(
    'ESTIMATE_MODE',
    ['learned', 'fixed'],
    'learned',
    '`learned`: estimated waits grow with the queue, by how quickly the workers complete tasks. `fixed`: they are the settings of the service, whatever waits.',
  ),
  workers: choice('WORKERS', ['always', 'on-demand'], 'always', 'Whether workers run always or only while work waits.'),
  workerIdleSeconds: integer('WORKER_IDLE_SECONDS', 300, 'An on-demand worker without work stops after this.', {
    min: 5,
    max: LONGEST_SECONDS,
  }),
  taskVisibility: choice(
    'TASK_VISIBILITY',
    ['service', 'token'],
    'service',
    '`token`: a task is read only with the token that created it.',
  ),
  webhookRetrySchedule: secondsList(
    'WEBHOOK_RETRY_SCHEDULE',
    [0, 5, 60, 300, 1800, 7200, 18_000, 36_000],
    'Seconds before each delivery attempt, from the one before.',
  ),
  webhookTimeoutSeconds: integer('WEBHOOK_TIMEOUT_SECONDS', 15, 'How long a receiver may take to answer.', {
    min: 1,
    max: 120,
  }),
  webhookLoopback: choice(
    'WEBHOOK_LOOPBACK',
    ['allow', 'deny'],
    'allow',
    'Webhooks to localhost, 127.0.0.1 and [::1].',
  ),
  webhookSigningKeyFile: text(
    'WEBHOOK_SIGNING_KEY_FILE',
    undefined,
    'Ed25519 key (PEM) that signs webhooks; made under DATA_DIR if not set.',
    signingKeyFile,
  ),
  webhookSigningKeyPreviousFile: text(
    'WEBHOOK_SIGNING_KEY_PREVIOUS_FILE',
    undefined,
    'The previous signing key: webhooks are signed with it too. If not set: DATA_DIR/keys/webhook-signing-previous.pem, if that exists.',
    existingSigningKeyFile,
  ),
  outboundAllowCidrs: list(
    'OUTBOUND_ALLOW_CIDRS',
    [],
    'Private networks that downloads and webhooks may reach.',
    networkText,
  ),
  outboundAllowHosts: list(
    'OUTBOUND_ALLOW_HOSTS',
    [],
    'Hosts that downloads and webhooks may reach wherever they resolve to.',
    (host) => listedHost(host),
  ),
  trustProxy: trustedProxies(
    'TRUST_PROXY',
    'The proxies in front, whose X-Forwarded-For is believed: how many there are (`1`), or their addresses and networks, comma-separated. A count is safe only where every request comes through all of them.',
  ),
  wrongTokenLimitPerMinute: integer(
    'WRONG_TOKEN_LIMIT_PER_MINUTE',
    100,
    'Requests with a wrong bearer token that one address may send to one service in any 60 seconds before they are answered 429; a valid token is never counted. 0 switches the limit off.',
    { max: 1_000_000 },
  ),
  corsAllowOrigins: list('CORS_ALLOW_ORIGINS', [], 'Origins whose pages may call the services.'),
  cookieSecure: choice(
    'COOKIE_SECURE',
    ['auto', 'always', 'never'],
    'auto',
    'Whether cookies are for https alone; `auto`: where the request came by https.',
  ),
  publicOrigins: list(
    'PUBLIC_ORIGINS',
    [],
    'Origins under which browsers reach the pages, besides the address that they ask for: `https://docs.example.com`.',
    origin,
  ),
  metricsToken: oneToken('METRICS_TOKEN', 'Asked for by /metrics when set.'),
  logLevel: choice('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info', 'What is worth a line.'),
  ...traceSettings,
  // At most as long as a supervisor waits for a process that stops, less what the requests in flight may take.
  shutdownDelaySeconds: integer(
    'SHUTDOWN_DELAY_SECONDS',
    undefined,
    'How long a gateway still accepts connections after SIGTERM, while `/ready` is 503; 5 in `production`, 0 otherwise.',
    { max: 15 },
  ),
  embeddedDatabasePort: integer('EMBEDDED_DATABASE_PORT', 0, 'Port of the embedded database; 0: a free one, kept.', {
    max: 65_535,
  }),
  // Five: two batches of a worker, the renewal of its leases, its heartbeat, and one for its model.
  databaseConnections: integer(
    'DATABASE_CONNECTIONS',
    10,
    'Connections to the database per process, at most; with fewer than 5 a worker would wait for itself.',
    { min: 5, max: 10_000 },
  ),
};

export const houseAgreements: readonly Agreement<typeof houseSettings>[] = [
  {
    between: ['taskDeadlineSeconds', 'resultTtlSeconds'],
    check({ taskDeadlineSeconds, resultTtlSeconds }) {
      if (taskDeadlineSeconds < resultTtlSeconds) return;
      throw new Error('TASK_DEADLINE_SECONDS must be below RESULT_TTL_SECONDS: a task must not vanish unfinished.');
    },
  },
  {
    between: ['filesUrl', 's3AccessKeyId', 's3SecretAccessKey'],
    check({ filesUrl, s3AccessKeyId, s3SecretAccessKey }) {
      if (!filesUrl || (s3AccessKeyId && s3SecretAccessKey)) return;
      throw new Error('FILES_URL names a bucket: S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set, too.');
    },
  },
];

/** It carries a password, so a complaint about it must not quote it. */
function postgresUrl(env: string, about: string): Setting<string | undefined> {
  return {
    ...verbatim(env, about, { secret: true }),
    read(url) {
      if (!url) return undefined;
      if (/^postgres(ql)?:\/\//.test(url) && parsedUrl(url)) return url;
      throw new Error('must be an address like postgres://user:password@host:5432/database.');
    },
  };
}

function bucketUrl(given: string): string {
  readBucketUrl(given);
  return given;
}

function origin(given: string): string {
  const url = parsedUrl(given);
  if (url && /^https?:$/.test(url.protocol) && url.origin === given.toLowerCase().replace(/\/$/, '')) return url.origin;
  throw new Error(`"${given}" is not an origin like https://docs.example.com.`);
}

/** A number of proxies, or networks; never all of them, which would let every client choose its own address. */
function trustedProxies(env: string, about: string): Setting<number | readonly string[]> {
  const networks = list(env, [], about, proxyNetwork);
  return {
    ...networks,
    read(given) {
      if (!/^\d+$/.test(given ?? '')) return networks.read(given);
      const hops = Number(given);
      if (hops <= MOST_PROXIES) return hops;
      throw new Error(`must be a number of proxies from 0 to ${MOST_PROXIES}, or a list of networks, not "${given}".`);
    },
  };
}

/** Chosen: more proxies in a row than any deployment has. */
const MOST_PROXIES = 10;

/** A network, or the name that one has in the package which reads X-Forwarded-For. */
function proxyNetwork(given: string): string {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(given)) return given;
  // A few networks this wide hold all addresses together.
  if (given === 'true' || /\/0*[0-6]$/.test(given)) {
    throw new Error(
      `"${given}" would let every client choose its own address: write how many proxies stand in front (\`1\`), or their addresses or networks (\`10.0.0.0/8\`).`,
    );
  }
  return networkText(given);
}

/** A file that is not there yet will be made; what is there must be a key that can sign. */
function signingKeyFile(file: string): string {
  return existsSync(file) ? existingSigningKeyFile(file) : file;
}

function existingSigningKeyFile(file: string): string {
  try {
    if (createPrivateKey(readFileSync(file)).asymmetricKeyType === 'ed25519') return file;
  } catch {
    // The same sentence for what is no key at all: an error's own words might quote it.
  }
  throw new Error(`${file} does not hold an Ed25519 private key in PEM form, or cannot be read.`);
}
