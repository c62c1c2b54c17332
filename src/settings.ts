import { createPrivateKey } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { validateNetwork } from './base/addresses.ts';
import { readBucketUrl } from './base/files/bucket-url.ts';
import { parseHost } from './base/outbound-url.ts';
import { parseUrl } from './base/parse-url.ts';
import {
  appEnv,
  type CrossFieldRule,
  choice,
  integer,
  list,
  MAX_SECONDS,
  type Setting,
  secondsList,
  secret,
  text,
} from './base/settings.ts';
import { traceSettings } from './base/trace-settings.ts';
import { singleTokenSetting } from './http/token-settings.ts';
import { services } from './services/index.ts';
import { type ClientWeights, MAX_WEIGHT, MIN_WEIGHT } from './tasks/fair-tags.ts';

/** Settings of the core; each service adds its own. `assay config --markdown` prints their reference. */
export const coreSettings = {
  appEnv,
  host: text('HOST', undefined, 'Address to listen on; 127.0.0.1 in `local`, 0.0.0.0 otherwise.'),
  services: list('SERVICES', [], 'Services that this installation runs, comma-separated; empty: all.', (name) => {
    if (services.some((service) => service.name === name)) return name;
    const known = services.map((service) => service.name).join(', ');
    throw new Error(`"${name}" is not a service; choose from ${known}.`);
  }),
  dataDir: text('DATA_DIR', './data', 'Folder of the embedded database, files, keys and trained models.'),
  databaseUrl: postgresUrl('DATABASE_URL', 'PostgreSQL 15 or newer; not set: the embedded PostgreSQL, under DATA_DIR.'),
  databaseDirectUrl: postgresUrl(
    'DATABASE_DIRECT_URL',
    'Direct address of the database if DATABASE_URL leads to a pooler: for the one connection per process that uses LISTEN.',
  ),
  databasePooling: choice(
    'DATABASE_POOLING',
    ['session', 'transaction'],
    'session',
    '`transaction`: DATABASE_URL leads to a pooler in transaction mode, which may use another server connection for every transaction.',
  ),
  filesUrl: text(
    'FILES_URL',
    undefined,
    'Bucket of an S3-compatible object storage for all files: `s3://bucket/prefix?endpoint=https://host:port&region=name`; not set: DATA_DIR/files.',
    bucketUrl,
  ),
  s3AccessKeyId: secret('S3_ACCESS_KEY_ID', 'Access key of the bucket in FILES_URL.'),
  s3SecretAccessKey: secret('S3_SECRET_ACCESS_KEY', 'Secret of that access key.'),
  filesHost: text(
    'FILES_HOST',
    undefined,
    'Reserved host name in the URLs of uploaded files; files.assay.internal in `local`, otherwise not set, which disables POST /files.',
    (host) => parseHost(host),
  ),
  filesQuotaBytes: integer(
    'FILES_QUOTA_BYTES',
    10 * 1024 ** 3,
    'Storage quota per credential in bytes: for uploaded files, and separately for the files that a service keeps itself.',
  ),
  resultTtlSeconds: integer('RESULT_TTL_SECONDS', 86_400, 'Time that a task can be read, counted from its creation.', {
    min: 60,
    max: 366 * 86_400,
  }),
  taskDeadlineSeconds: integer(
    'TASK_DEADLINE_SECONDS',
    82_800,
    'An unfinished task fails after this time; must be below RESULT_TTL_SECONDS.',
    { min: 1, max: MAX_SECONDS },
  ),
  workerMaxAttempts: integer(
    'WORKER_MAX_ATTEMPTS',
    3,
    'Maximum attempts of a task, counting lost workers and transient failures.',
    { min: 1, max: 100 },
  ),
  batchMaxWaitSeconds: integer(
    'BATCH_MAX_WAIT_SECONDS',
    3600,
    'After this time, a waiting batch task gets realtime priority.',
    { max: MAX_SECONDS },
  ),
  clientWeights: clientWeights(
    'CLIENT_WEIGHTS',
    'Shares of clients that wait for workers at the same time, as `owner=weight` with weights from 0.1 to 100, comma-separated: `clinic=4,archive=0.5`. Other clients have weight 1. An owner is the `--owner` of issued tokens, or the name of a token in logs.',
  ),
  clientMaxWaiting: integer(
    'CLIENT_MAX_WAITING',
    0,
    'New tasks of a client are rejected (429 with `Retry-After`) while this many of its tasks wait for a worker of the service. 0: no limit.',
    { max: 1_000_000 },
  ),
  batchSharePercent: integer(
    'BATCH_SHARE_PERCENT',
    5,
    'Guaranteed share of batch tasks while realtime tasks wait. 0: batch tasks wait for all realtime tasks, at most BATCH_MAX_WAIT_SECONDS.',
    { max: 50 },
  ),
  estimateMode: choice(
    'ESTIMATE_MODE',
    ['learned', 'fixed'],
    'learned',
    "`learned`: estimated waits follow the client's place in the queue, the throughput of the workers and the duration of the latest tasks. `fixed`: estimates are the settings of the service.",
  ),
  workers: choice('WORKERS', ['always', 'on-demand'], 'always', 'Whether workers run always or only while tasks wait.'),
  workerIdleSeconds: integer('WORKER_IDLE_SECONDS', 300, 'An on-demand worker without tasks stops after this time.', {
    min: 5,
    max: MAX_SECONDS,
  }),
  taskVisibility: choice(
    'TASK_VISIBILITY',
    ['service', 'token'],
    'service',
    '`token`: only the token that created a task can read it.',
  ),
  eventFeedsPerClient: integer(
    'EVENT_FEEDS_PER_CLIENT',
    20,
    'Event feeds (`GET /events` with `wait`, or as a stream) that one credential may have open on one gateway; more receive 429.',
    { min: 1, max: 100_000 },
  ),
  eventFeedsTotal: integer(
    'EVENT_FEEDS_TOTAL',
    2000,
    'Event feeds that all clients may have open on one gateway; more receive 503.',
    { min: 1, max: 100_000 },
  ),
  webhookRetrySchedule: secondsList(
    'WEBHOOK_RETRY_SCHEDULE',
    [0, 5, 60, 300, 1800, 7200, 18_000, 36_000],
    'Seconds before each delivery attempt, counted from the previous attempt. The first attempt is immediate: the first value is ignored.',
  ),
  webhookTimeoutSeconds: integer('WEBHOOK_TIMEOUT_SECONDS', 15, 'Time limit for the response of a webhook receiver.', {
    min: 1,
    max: 120,
  }),
  webhookLoopback: choice(
    'WEBHOOK_LOOPBACK',
    ['allow', 'deny'],
    'allow',
    'Whether webhooks to localhost, 127.0.0.1 and [::1] are allowed.',
  ),
  webhookSigningKeyFile: text(
    'WEBHOOK_SIGNING_KEY_FILE',
    undefined,
    'Ed25519 key (PEM) that signs webhooks; not set: created under DATA_DIR.',
    signingKeyFile,
  ),
  webhookSigningKeyPreviousFile: text(
    'WEBHOOK_SIGNING_KEY_PREVIOUS_FILE',
    undefined,
    'Previous signing key, which also signs webhooks; not set: DATA_DIR/keys/webhook-signing-previous.pem, if it exists.',
    existingSigningKeyFile,
  ),
  outboundAllowCidrs: list(
    'OUTBOUND_ALLOW_CIDRS',
    [],
    'Private networks allowed for downloads and webhooks.',
    validateNetwork,
  ),
  outboundAllowHosts: list(
    'OUTBOUND_ALLOW_HOSTS',
    [],
    'Hosts allowed for downloads and webhooks, independent of their addresses.',
    (host) => parseHost(host),
  ),
  trustProxy: trustedProxies(
    'TRUST_PROXY',
    'Reverse proxies whose X-Forwarded-For is trusted: their number (`1`), or their addresses and networks, comma-separated. A number is safe only if every request passes through all of them.',
  ),
  wrongTokenLimitPerMinute: integer(
    'WRONG_TOKEN_LIMIT_PER_MINUTE',
    100,
    'Requests with a wrong token (bearer or cookie) that one address may send to one service within 60 seconds before it receives 429; valid tokens do not count. 0 disables the limit.',
    { max: 1_000_000 },
  ),
  corsAllowOrigins: list('CORS_ALLOW_ORIGINS', [], 'Origins whose pages may call the services.'),
  cookieSecure: choice(
    'COOKIE_SECURE',
    ['auto', 'always', 'never'],
    'auto',
    'Whether cookies are restricted to https; `auto`: if the request used https.',
  ),
  publicOrigins: list(
    'PUBLIC_ORIGINS',
    [],
    "Public origins of the pages, in addition to the request's own: `https://docs.example.com`.",
    origin,
  ),
  metricsToken: singleTokenSetting('METRICS_TOKEN', 'Bearer token required by /metrics, if set.'),
  logLevel: choice('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info', 'Lowest level that is logged.'),
  ...traceSettings,
  // The maximum is the time that the supervisor waits for a stopping process, less the time for requests in flight.
  shutdownDelaySeconds: integer(
    'SHUTDOWN_DELAY_SECONDS',
    undefined,
    'Time after SIGTERM in which a gateway still accepts connections while `/ready` returns 503; 5 in `production`, 0 otherwise.',
    { max: 15 },
  ),
  embeddedDatabasePort: integer(
    'EMBEDDED_DATABASE_PORT',
    0,
    'Port of the embedded database; 0: a free port, kept across restarts.',
    { max: 65_535 },
  ),
  // At least five: two batches of a worker, the renewal of its leases, its heartbeat, and one for its model.
  databaseConnections: integer(
    'DATABASE_CONNECTIONS',
    10,
    'Maximum connections of a process to each database of its services; a worker needs at least 5.',
    { min: 5, max: 10_000 },
  ),
};

/** By service. */
export const databaseSettings: Readonly<Record<string, Setting<string | undefined>>> = Object.fromEntries(
  services.map(({ name }) => [
    name,
    postgresUrl(
      `${name.toUpperCase()}_DATABASE_URL`,
      `PostgreSQL of the service ${name} alone, or of several services with the same address; not set: DATABASE_URL.`,
    ),
  ]),
);

export const crossFieldRules: readonly CrossFieldRule<typeof coreSettings>[] = [
  {
    fields: ['taskDeadlineSeconds', 'resultTtlSeconds'],
    check({ taskDeadlineSeconds, resultTtlSeconds }) {
      if (taskDeadlineSeconds < resultTtlSeconds) return;
      throw new Error('TASK_DEADLINE_SECONDS must be below RESULT_TTL_SECONDS: unfinished tasks must not expire.');
    },
  },
  {
    fields: ['filesUrl', 's3AccessKeyId', 's3SecretAccessKey'],
    check({ filesUrl, s3AccessKeyId, s3SecretAccessKey }) {
      if (!filesUrl || (s3AccessKeyId && s3SecretAccessKey)) return;
      throw new Error('FILES_URL requires S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.');
    },
  },
];

/** The parts of a list, as in the client's name in logs or the owner of its tokens. */
function clientWeights(env: string, about: string): Setting<ClientWeights> {
  const parts = list(env, [], about, (part) => {
    const [, weight] = /^[A-Za-z0-9._:-]{1,64}=(\d{1,6}(?:\.\d{1,6})?)$/.exec(part) ?? [];
    if (Number(weight) >= MIN_WEIGHT && Number(weight) <= MAX_WEIGHT) return part;
    throw new Error(`"${part}" is not a client with its weight from ${MIN_WEIGHT} to ${MAX_WEIGHT}, like clinic=4.`);
  });
  const read = (value: string | undefined) => {
    const entries = parts.read(value).map((part) => part.split('=') as [string, string]);
    const weights = new Map(entries.map(([owner, weight]) => [owner, Number(weight)]));
    if (weights.size === entries.length) return weights;
    throw new Error('lists a client twice.');
  };
  return { ...parts, read };
}

/** The URL contains a password, so the error message must not quote it. */
function postgresUrl(env: string, about: string): Setting<string | undefined> {
  return secret(env, about, (url) => {
    if (!url) return undefined;
    if (/^postgres(ql)?:\/\//.test(url) && parseUrl(url)) return url;
    throw new Error('must be an address like postgres://user:password@host:5432/database.');
  });
}

function bucketUrl(value: string): string {
  readBucketUrl(value);
  return value;
}

function origin(value: string): string {
  const url = parseUrl(value);
  if (url && /^https?:$/.test(url.protocol) && url.origin === value.toLowerCase().replace(/\/$/, '')) return url.origin;
  throw new Error(`"${value}" is not an origin like https://docs.example.com.`);
}

/** A number of proxies, or networks; never all addresses, which would let every client choose its own address. */
function trustedProxies(env: string, about: string): Setting<number | readonly string[]> {
  const networks = list(env, [], about, proxyNetwork);
  return {
    ...networks,
    read(value) {
      if (!/^\d+$/.test(value ?? '')) return networks.read(value);
      const hops = Number(value);
      if (hops <= MAX_PROXIES) return hops;
      throw new Error(`must be a number of proxies from 0 to ${MAX_PROXIES}, or a list of networks, not "${value}".`);
    },
  };
}

/** Chosen: more proxies in a row than any deployment has. */
const MAX_PROXIES = 10;

/** A network, or one of the network names of proxy-addr, which evaluates X-Forwarded-For. */
function proxyNetwork(value: string): string {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(value)) return value;
  // A few networks this wide cover all addresses.
  if (value === 'true' || /\/0*[0-6]$/.test(value)) {
    throw new Error(
      `"${value}" would let every client choose its own address: give the number of proxies (\`1\`), or their addresses or networks (\`10.0.0.0/8\`).`,
    );
  }
  return validateNetwork(value);
}

/** A missing file will be created. */
function signingKeyFile(file: string): string {
  return existsSync(file) ? existingSigningKeyFile(file) : file;
}

function existingSigningKeyFile(file: string): string {
  try {
    if (createPrivateKey(readFileSync(file)).asymmetricKeyType === 'ed25519') return file;
  } catch {
    // Not the parser's message, which might quote the file's content.
  }
  throw new Error(`${file} does not hold an Ed25519 private key in PEM form, or cannot be read.`);
}
