import { parseHost } from '../../base/outbound-url.ts';
import {
  type CrossFieldRule,
  choice,
  type Environment,
  flag,
  integer,
  list,
  readSettings,
  SettingsError,
  secret,
  text,
  type Values,
} from '../../base/settings.ts';
import { parseTokenSettings, type TokenEntry, type TokenSet } from '../../http/bearer.ts';
import { singleTokenSetting, tokenListSetting } from '../../http/token-settings.ts';
import { listOf, maxWaiting, missingTokens, rateLimit, seconds } from '../shared/settings.ts';
import { webhookSecrets } from './webhook-secrets.ts';

export const settings = {
  port: integer('DEFECTOSCOPY_PORT', 8001, 'Port of the defectoscopy listener.', { max: 65_535 }),
  publicUrl: text('DEFECTOSCOPY_PUBLIC_URL', undefined, 'Base URL of the service for clients.'),
  apiTokens: tokenListSetting(
    'DEFECTOSCOPY_API_TOKENS',
    'Accepted bearer tokens, comma-separated; `sha256:<hex>` stores only the digest of a token; `assay tokens` issues more. Without any token the task endpoints return 503. Authorization is disabled only if this and DEFECTOSCOPY_API_TOKEN are both set and empty, or by DEFECTOSCOPY_AUTH.',
  ),
  apiToken: singleTokenSetting('DEFECTOSCOPY_API_TOKEN', 'A single accepted bearer token (compatible mode).'),
  reviewerTokens: tokenListSetting(
    'DEFECTOSCOPY_REVIEWER_TOKENS',
    'Comma-separated tokens that may also correct results and deploy model versions; `sha256:<hex>` stores a digest; `assay tokens create --role reviewer` issues more. If not set, every token may on a `local` installation, and otherwise only issued ones.',
  ),
  correctionRetentionDays: integer(
    'DEFECTOSCOPY_CORRECTION_RETENTION_DAYS',
    365,
    'How long corrections of results are kept for training, after the last one of a photo.',
    { min: 1, max: 36_500 },
  ),
  auth: choice(
    'DEFECTOSCOPY_AUTH',
    ['tokens', 'disabled'],
    'tokens',
    '`disabled` disables authorization: anyone who can reach the port can use the service.',
  ),
  allowedImageHosts: list(
    'DEFECTOSCOPY_ALLOWED_IMAGE_HOSTS',
    [],
    'Object storage hosts allowed in image_url (`host` for port 443, or `host:port`). Empty: only uploaded files.',
    (host) => parseHost(host, { ports: true }),
  ),
  imageHostsAllowPrivate: flag(
    'DEFECTOSCOPY_IMAGE_HOSTS_ALLOW_PRIVATE',
    false,
    'Allow private addresses for the listed hosts (a storage in the same network).',
  ),
  rateLimitPerMinute: rateLimit('DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE'),
  maxWaiting: maxWaiting('DEFECTOSCOPY_MAX_WAITING', 100_000),
  webhookSecrets: secret(
    'DEFECTOSCOPY_WEBHOOK_SECRETS',
    'Webhook signing secrets per token: `<first 12 hex digits of the SHA-256 of the token>:whsec_…`, comma-separated; two of a token during a rotation.',
  ),
  modelVersion: text(
    'DEFECTOSCOPY_MODEL_VERSION',
    undefined,
    'Default model version; unset: the promoted version, or the newest shipped one. If set, promotions are rejected.',
  ),
  devices: listOf(
    'DEFECTOSCOPY_DEVICES',
    ['cpu', 'cuda'],
    ['cpu'],
    'Devices for the model by preference: `cpu`, `cuda`. The first available device is used. `cuda,cpu` uses an NVIDIA GPU if there is one; this requires the CUDA libraries of onnxruntime-node and cuDNN.',
  ),
  estimateWarmSeconds: seconds('DEFECTOSCOPY_ESTIMATE_WARM', 90, 'Estimated wait while a worker is warm, in seconds.'),
  coldStartSeconds: seconds(
    'DEFECTOSCOPY_COLD_START_SECONDS',
    90,
    'Time to load the model, in seconds; part of the cold estimate.',
  ),
  costDelaySeconds: seconds(
    'DEFECTOSCOPY_COST_DELAY_SECONDS',
    120,
    'How long batch tasks wait before a cold worker is started, in seconds; part of the cold estimate.',
  ),
};

export type DefectoscopySettings = Values<typeof settings>;

export const estimatesOf = ({ costDelaySeconds, coldStartSeconds, estimateWarmSeconds }: DefectoscopySettings) => ({
  warmSeconds: estimateWarmSeconds,
  coldSeconds: costDelaySeconds + coldStartSeconds + estimateWarmSeconds,
});

const agreements: readonly CrossFieldRule<typeof settings>[] = [
  {
    fields: ['apiTokens', 'apiToken', 'auth', 'reviewerTokens'],
    check: (serviceSettings) => void configuredTokens(serviceSettings),
  },
  {
    fields: ['apiTokens', 'apiToken', 'auth', 'reviewerTokens', 'webhookSecrets'],
    check: (serviceSettings) => void webhookSecrets(serviceSettings.webhookSecrets, configuredTokens(serviceSettings)),
  },
];

export const loadSettings = (env: Environment): DefectoscopySettings => readSettings(settings, env, agreements);

/** The tokens of clients and reviewers. */
export function configuredTokens({
  apiTokens,
  apiToken,
  auth,
  reviewerTokens,
}: Pick<DefectoscopySettings, 'apiTokens' | 'apiToken' | 'auth' | 'reviewerTokens'>): TokenSet {
  try {
    const authSetting = auth === 'disabled' ? auth : undefined;
    const clients = parseTokenSettings({ list: apiTokens, single: apiToken, authSetting });
    const reviewers = reviewerEntries(reviewerTokens);
    if (reviewers.length === 0) return clients;
    if (clients.state === 'disabled')
      throw new Error('Authorization is disabled, but DEFECTOSCOPY_REVIEWER_TOKENS is set.');
    return { state: 'enforced', entries: [...(clients.state === 'enforced' ? clients.entries : []), ...reviewers] };
  } catch (error) {
    throw new SettingsError(`DEFECTOSCOPY_AUTH: ${(error as Error).message}`);
  }
}

/** Of DEFECTOSCOPY_REVIEWER_TOKENS. */
export function reviewerEntries(list: string | undefined): readonly TokenEntry[] {
  const set = parseTokenSettings({ list, mayDisable: false });
  return set.state === 'enforced' ? set.entries : [];
}

export function missingCredentials(env: Environment): string[] {
  const { apiTokens, apiToken, auth, reviewerTokens } = settings;
  const configured = readSettings({ apiTokens, apiToken, auth, reviewerTokens }, env);
  return missingTokens(configured.apiTokens, configuredTokens(configured), apiTokens.env);
}
