import { listedHost } from '../../base/outbound-url.ts';
import { parsedUrl } from '../../base/parsed-url.ts';
import {
  type Agreement,
  choice,
  type Environment,
  flag,
  integer,
  list,
  readSettings,
  type Setting,
  text,
  type Values,
  verbatim,
} from '../../base/settings.ts';
import { type TokenSet, tokensFrom } from '../../http/bearer.ts';
import { oneToken, tokenList } from '../../http/token-settings.ts';
import { maxWaiting } from '../max-waiting.ts';
import { isLanguage } from './languages.ts';

const A_DAY = 86_400;

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
  publicUrl: text('STT_PUBLIC_URL', undefined, 'Base address under which clients reach the service.'),
  apiTokens: tokenList(
    'STT_API_TOKENS',
    'Accepted bearer tokens, comma-separated; `sha256:<hex>` in place of a token keeps only its digest here; `assay tokens` issues more. Without any token the service answers 503: authorization cannot be disabled here.',
  ),
  apiToken: oneToken('STT_API_TOKEN', 'A single accepted bearer token (compatible mode).'),
  rateLimitPerMinute: integer(
    'STT_RATE_LIMIT_PER_MINUTE',
    1000,
    'Requests of one token in any 60 seconds; 0 switches the limit off.',
    { max: 1_000_000 },
  ),
  maxWaiting: maxWaiting('STT_MAX_WAITING', 10_000),
  allowedUrlHosts: list(
    'STT_ALLOWED_URL_HOSTS',
    [],
    'Hosts that `url` may name besides public names on port 443: `host`, or `host:port`.',
    (host) => listedHost(host, { ports: true }),
  ),
  webhookAllowLoopback: flag(
    'STT_WEBHOOK_ALLOW_LOOPBACK',
    false,
    'Webhooks to localhost, 127.0.0.1 and [::1], over http too: for work on one machine.',
  ),
  providers: list(
    'STT_PROVIDERS',
    ['local'],
    'What turns speech into text, in the order in which it is tried: `local`, `remote`.',
    (name) => {
      if (name === 'local' || name === 'remote') return name;
      throw new Error(`must be a list of local, remote, not "${name}".`);
    },
  ),
  model: choice('STT_MODEL', MODELS, 'whisper-base', 'The local model; `assay models` tells how each is had.'),
  language: language('STT_LANGUAGE', 'The language of recordings whose request names none, as ISO 639-1, or `auto`.'),
  remoteName: text('STT_REMOTE_NAME', 'remote', 'What `result.service` calls the remote provider.'),
  remoteUrl: remoteUrl(
    'STT_REMOTE_URL',
    'Base address of an OpenAI-compatible provider, like https://api.example.com/v1, for `remote`.',
  ),
  remoteKey: verbatim('STT_REMOTE_KEY', 'Key of the remote provider.', { secret: true }),
  remoteModel: text('STT_REMOTE_MODEL', 'whisper-1', 'Model of the remote provider.'),
  estimateWarmSeconds: integer('STT_ESTIMATE_WARM', 60, 'Estimated wait while a worker is warm, in seconds.', {
    max: A_DAY,
  }),
  estimateColdSeconds: integer('STT_ESTIMATE_COLD', 180, 'Estimated wait while none is, or nobody knows.', {
    max: A_DAY,
  }),
};

export type Own = Values<typeof settings>;

const agreements: readonly Agreement<typeof settings>[] = [
  {
    between: ['providers', 'remoteUrl'],
    check({ providers, remoteUrl: url }) {
      if (!providers.includes('remote') || url !== undefined) return;
      throw new Error('STT_REMOTE_URL must be set where STT_PROVIDERS names remote.');
    },
  },
];

/** Everything that the operator said of this service, or a `SettingsProblem` with every fault in it. */
export const readOwn = (env: Environment): Own => readSettings(settings, env, agreements);

/** Who may come in. None configured, or an empty list: nobody, and no way to say "everybody". */
export const tokensOf = ({ apiTokens, apiToken }: Pick<Own, 'apiTokens' | 'apiToken'>): TokenSet =>
  tokensFrom({ list: apiTokens, single: apiToken, mayDisable: false });

/** What the `local` profile has to make: a token, where nobody has said anything about tokens. */
export function missingCredentials(env: Environment): string[] {
  const { apiTokens, apiToken } = settings;
  const said = readSettings({ apiTokens, apiToken }, env);
  // A list that is defined and empty was left so on purpose.
  return said.apiTokens === undefined && tokensOf(said).state === 'unconfigured' ? [apiTokens.env] : [];
}

function language(env: string, about: string): Setting<string> {
  return text(env, 'auto', about, (given) => {
    const code = given.toLowerCase();
    if (code === 'auto' || isLanguage(code)) return code;
    throw new Error(`must be an ISO 639-1 code or auto, not "${given}".`);
  });
}

function remoteUrl(env: string, about: string): Setting<string | undefined> {
  return text(env, undefined, about, (given) => {
    if (/^https?:\/\//.test(given) && parsedUrl(given)) return given.replace(/(?<!\/)\/+$/, '');
    throw new Error(`must be an address like https://api.example.com/v1, not "${given}".`);
  });
}
