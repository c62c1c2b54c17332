import { listedHost } from '../../base/outbound-url.ts';
import {
  type Agreement,
  choice,
  type Environment,
  flag,
  integer,
  list,
  readSettings,
  type Setting,
  SettingsProblem,
  text,
  type Values,
  verbatim,
} from '../../base/settings.ts';
import { type TokenSet, tokensFrom } from '../../http/bearer.ts';
import { oneToken, tokenList } from '../../http/token-settings.ts';
import type { Provider } from '../../ml/thread.ts';
import { maxWaiting } from '../max-waiting.ts';
import { webhookSecrets } from './webhook-secrets.ts';

const A_DAY = 86_400;

const DEVICES: readonly string[] = ['cpu', 'cuda'] satisfies Provider[];

export const settings = {
  port: integer('DEFECTOSCOPY_PORT', 8001, 'Port of the defectoscopy listener.', { max: 65_535 }),
  publicUrl: text('DEFECTOSCOPY_PUBLIC_URL', undefined, 'Base address under which clients reach the service.'),
  apiTokens: tokenList(
    'DEFECTOSCOPY_API_TOKENS',
    'Accepted bearer tokens, comma-separated; `sha256:<hex>` in place of a token keeps only its digest here; `assay tokens` issues more. Without any token the task endpoints answer 503. Authorization is off only where this and DEFECTOSCOPY_API_TOKEN are both defined and empty, or by DEFECTOSCOPY_AUTH.',
  ),
  apiToken: oneToken('DEFECTOSCOPY_API_TOKEN', 'A single accepted bearer token (compatible mode).'),
  auth: choice(
    'DEFECTOSCOPY_AUTH',
    ['tokens', 'disabled'],
    'tokens',
    '`disabled` switches authorization off: everybody who reaches the port may use the service.',
  ),
  allowedImageHosts: list(
    'DEFECTOSCOPY_ALLOWED_IMAGE_HOSTS',
    [],
    'Object-storage hosts that image_url may name (`host` means port 443, `host:port` that port). Empty: none but our own file host.',
    (host) => listedHost(host, { ports: true }),
  ),
  imageHostsAllowPrivate: flag(
    'DEFECTOSCOPY_IMAGE_HOSTS_ALLOW_PRIVATE',
    false,
    'The listed hosts may have private addresses (a storage on the same premises).',
  ),
  rateLimitPerMinute: integer(
    'DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE',
    1000,
    'Requests of one token in any 60 seconds; 0 switches the limit off.',
    { max: 1_000_000 },
  ),
  maxWaiting: maxWaiting('DEFECTOSCOPY_MAX_WAITING', 100_000),
  webhookSecrets: verbatim(
    'DEFECTOSCOPY_WEBHOOK_SECRETS',
    'Secrets that callbacks are signed with, per token: `<first 12 hex digits of the SHA-256 of the token>:whsec_…`, comma-separated.',
    { secret: true },
  ),
  modelVersion: text(
    'DEFECTOSCOPY_MODEL_VERSION',
    undefined,
    'Model version used when a request names none; by default the one that ships with the product.',
  ),
  devices: devices(
    'DEFECTOSCOPY_DEVICES',
    'Where the model computes: the first of these that the machine has, of `cpu` and `cuda`. `cuda,cpu` takes an NVIDIA GPU where there is one; onnxruntime-node then needs its CUDA files and cuDNN beside it.',
  ),
  estimateWarmSeconds: integer('DEFECTOSCOPY_ESTIMATE_WARM', 90, 'Estimated wait while a worker is warm, in seconds.', {
    max: A_DAY,
  }),
  coldStartSeconds: integer('DEFECTOSCOPY_COLD_START_SECONDS', 90, 'Part of the cold estimate: loading the model.', {
    max: A_DAY,
  }),
  costDelaySeconds: integer(
    'DEFECTOSCOPY_COST_DELAY_SECONDS',
    120,
    'How long batch work waits for company before it starts a cold worker; part of the cold estimate.',
    { max: A_DAY },
  ),
};

export type Own = Values<typeof settings>;

const agreements: readonly Agreement<typeof settings>[] = [
  { between: ['apiTokens', 'apiToken', 'auth'], check: (own) => void tokensOf(own) },
  {
    between: ['apiTokens', 'apiToken', 'auth', 'webhookSecrets'],
    check: (own) => void webhookSecrets(own.webhookSecrets, tokensOf(own)),
  },
];

/** Everything that the operator said of this service, or a `SettingsProblem` with every fault in it. */
export const readOwn = (env: Environment): Own => readSettings(settings, env, agreements);

/** Who may come in. */
export function tokensOf({ apiTokens, apiToken, auth }: Pick<Own, 'apiTokens' | 'apiToken' | 'auth'>): TokenSet {
  try {
    return tokensFrom({ list: apiTokens, single: apiToken, authSetting: auth === 'disabled' ? auth : undefined });
  } catch (error) {
    throw new SettingsProblem(`DEFECTOSCOPY_AUTH: ${(error as Error).message}`);
  }
}

/** What the `local` profile has to make: a token, where nobody has said anything about tokens. */
export function missingCredentials(env: Environment): string[] {
  const { apiTokens, apiToken, auth } = settings;
  const given = readSettings({ apiTokens, apiToken, auth }, env);
  // A list that is defined and empty was left so on purpose.
  return given.apiTokens === undefined && tokensOf(given).state === 'unconfigured' ? [apiTokens.env] : [];
}

function devices(env: string, about: string): Setting<readonly Provider[]> {
  const setting = list(env, ['cpu'], about);
  return {
    ...setting,
    read(given) {
      const names = setting.read(given);
      const unknown = names.find((name) => !DEVICES.includes(name));
      if (unknown !== undefined) throw new Error(`must be a list of ${DEVICES.join(', ')}, not "${unknown}".`);
      return names as readonly Provider[];
    },
  };
}
