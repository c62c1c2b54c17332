import { parseHost } from '../../base/outbound-url.ts';
import { parseUrl } from '../../base/parse-url.ts';
import {
  type CrossFieldRule,
  choice,
  type Environment,
  flag,
  integer,
  list,
  readSettings,
  type Setting,
  secret,
  text,
  type Values,
} from '../../base/settings.ts';
import { parseTokenSettings, type TokenSet } from '../../http/bearer.ts';
import { singleTokenSetting, tokenListSetting } from '../../http/token-settings.ts';
import { listOf, maxWaiting, missingTokens, rateLimit, seconds } from '../shared/settings.ts';
import { isLanguage } from './languages.ts';

/** The folders of `models/stt/`. */
export const MODELS = [
  'whisper-base',
  'whisper-tiny',
  'whisper-small',
  'whisper-large-v3-turbo',
  'moonshine-base',
  'moonshine-tiny',
  'parakeet-tdt-0.6b-v3',
  'gigaam-v3',
] as const;

export const settings = {
  port: integer('STT_PORT', 8002, 'Port of the speech-to-text listener.', { max: 65_535 }),
  publicUrl: text('STT_PUBLIC_URL', undefined, 'Base URL of the service for clients.'),
  apiTokens: tokenListSetting(
    'STT_API_TOKENS',
    'Accepted bearer tokens, comma-separated; `sha256:<hex>` stores only the digest of a token; `assay tokens` issues more. Without any token the service returns 503; authorization cannot be disabled.',
  ),
  apiToken: singleTokenSetting('STT_API_TOKEN', 'A single accepted bearer token (compatible mode).'),
  rateLimitPerMinute: rateLimit('STT_RATE_LIMIT_PER_MINUTE'),
  maxWaiting: maxWaiting('STT_MAX_WAITING', 10_000),
  allowedUrlHosts: list(
    'STT_ALLOWED_URL_HOSTS',
    [],
    'Hosts allowed in `url` besides public hosts on port 443: `host` or `host:port`.',
    (host) => parseHost(host, { ports: true }),
  ),
  webhookAllowLoopback: flag(
    'STT_WEBHOOK_ALLOW_LOOPBACK',
    false,
    'Allow webhooks to localhost, 127.0.0.1 and [::1], also over http (for development).',
  ),
  providers: listOf(
    'STT_PROVIDERS',
    ['local', 'remote'],
    ['local'],
    'Speech recognition providers in order of preference: `local`, `remote`.',
  ),
  model: choice(
    'STT_MODEL',
    MODELS,
    'whisper-base',
    'The local model; `assay models` lists them with their installation.',
  ),
  language: language('STT_LANGUAGE', 'Default language of recordings, as ISO 639-1, or `auto` to detect it.'),
  remoteName: text('STT_REMOTE_NAME', 'remote', 'Name of the remote provider in `result.service`.'),
  remoteUrl: remoteUrl(
    'STT_REMOTE_URL',
    'Base URL of an OpenAI-compatible provider for `remote`, such as https://api.example.com/v1.',
  ),
  remoteKey: secret('STT_REMOTE_KEY', 'Key of the remote provider.'),
  remoteModel: text('STT_REMOTE_MODEL', 'whisper-1', 'Model of the remote provider.'),
  openAiWaitSeconds: integer(
    'STT_OPENAI_WAIT_SECONDS',
    290,
    'How long a request of the OpenAI-compatible API waits for its result; Node.js waits 300 s for a response.',
    { min: 1, max: 86_400 },
  ),
  estimateWarmSeconds: seconds('STT_ESTIMATE_WARM', 60, 'Estimated wait while a worker is warm, in seconds.'),
  estimateColdSeconds: seconds('STT_ESTIMATE_COLD', 180, 'Estimated wait without a warm worker, in seconds.'),
};

export type SttSettings = Values<typeof settings>;

export const estimatesOf = ({ estimateWarmSeconds, estimateColdSeconds }: SttSettings) => ({
  warmSeconds: estimateWarmSeconds,
  coldSeconds: estimateColdSeconds,
});

const agreements: readonly CrossFieldRule<typeof settings>[] = [
  {
    fields: ['providers', 'remoteUrl'],
    check({ providers, remoteUrl: url }) {
      if (!providers.includes('remote') || url !== undefined) return;
      throw new Error('STT_REMOTE_URL must be set if STT_PROVIDERS contains remote.');
    },
  },
];

export const loadSettings = (env: Environment): SttSettings => readSettings(settings, env, agreements);

/** Without tokens every request is rejected; authorization cannot be disabled. */
export const configuredTokens = ({ apiTokens, apiToken }: Pick<SttSettings, 'apiTokens' | 'apiToken'>): TokenSet =>
  parseTokenSettings({ list: apiTokens, single: apiToken, mayDisable: false });

export function missingCredentials(env: Environment): string[] {
  const { apiTokens, apiToken } = settings;
  const configured = readSettings({ apiTokens, apiToken }, env);
  return missingTokens(configured.apiTokens, configuredTokens(configured), apiTokens.env);
}

function language(env: string, about: string): Setting<string> {
  return text(env, 'auto', about, (value) => {
    const code = value.toLowerCase();
    if (code === 'auto' || isLanguage(code)) return code;
    throw new Error(`must be an ISO 639-1 code or auto, not "${value}".`);
  });
}

function remoteUrl(env: string, about: string): Setting<string | undefined> {
  return text(env, undefined, about, (value) => {
    if (/^https?:\/\//.test(value) && parseUrl(value)) return value.replace(/(?<!\/)\/+$/, '');
    throw new Error(`must be a URL such as https://api.example.com/v1, not "${value}".`);
  });
}
