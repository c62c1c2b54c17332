import { parseUrl } from '../../base/parse-url.ts';
import {
  type CrossFieldRule,
  choice,
  EMPTY_LIST_MESSAGE,
  type Environment,
  flag,
  integer,
  MAX_SECONDS,
  profileOf,
  readSettings,
  type Setting,
  secret,
  text,
  type Values,
} from '../../base/settings.ts';
import { maxWaiting } from '../shared/settings.ts';
import { checkKeysForProduction, parseApiKeys } from './auth/api-keys.ts';
import { loadSchema } from './schema/load-schema.ts';

export const settings = {
  port: integer('PASSPORTS_PORT', 8003, 'Port of the passports listener.', { max: 65_535 }),
  publicUrl: text('PASSPORTS_PUBLIC_URL', undefined, 'Base address under which clients reach the service.'),
  /** Error messages never quote a key. */
  apiKeys: {
    ...secret(
      'PASSPORTS_API_KEYS',
      'API keys that clients exchange for tokens, separated by commas or line breaks: `name:key`, or `name:sha256:<hex>` to store only the digest, optionally followed by `:admin` (default) or `:user`. `assay tokens` issues more. Without a key, no token can be issued.',
    ),
    read(input: string | undefined) {
      if (parseApiKeys(input).length === 0 && input) throw new Error(EMPTY_LIST_MESSAGE);
      return input;
    },
    checkForProduction: checkKeysForProduction,
  },
  jwtSecret: signingSecret(
    'PASSPORTS_JWT_SECRET',
    'Secret that signs tokens, at least 32 bytes; generated under DATA_DIR if not set. All gateways need the same value.',
  ),
  jwtSecretPrevious: signingSecret(
    'PASSPORTS_JWT_SECRET_PREVIOUS',
    'Previous signing secret; its tokens stay valid until they expire.',
  ),
  jwtLifetimeHours: integer('PASSPORTS_JWT_LIFETIME_HOURS', 24, 'Lifetime of a token.', { min: 1, max: 8760 }),
  bearerScope: optionalChoice(
    'PASSPORTS_BEARER_SCOPE',
    ['documented', 'all'],
    'documented; all in `production`',
    '`documented`: a session cookie is enough for endpoints documented without an Authorization header. `all`: every endpoint requires a token.',
  ),
  strictOwnership: flag(
    'PASSPORTS_STRICT_OWNERSHIP',
    false,
    'Hides documents of anonymous sessions from API tokens. By default any token can read them by id, and an administrator token can change them.',
  ),
  tokenLimitPerMinute: integer(
    'PASSPORTS_TOKEN_LIMIT_PER_MINUTE',
    10,
    'Sign-in attempts per client address in any 60 seconds; 0 disables the limit.',
    { max: 1_000_000 },
  ),
  maxWaiting: maxWaiting('PASSPORTS_MAX_WAITING', 10_000),
  schemaFile: text(
    'PASSPORTS_SCHEMA_FILE',
    undefined,
    'JSON file with the fields to extract; not set: technical passports.',
    // An invalid file stops the start.
    (file) => {
      loadSchema(file);
      return file;
    },
  ),
  tesseract: text(
    'PASSPORTS_TESSERACT',
    'tesseract',
    'Tesseract program for OCR, used if it is installed with the model `Cyrillic` or `rus`; otherwise, and with `none`, the bundled OCR engine is used.',
  ),
  taskDeadlineSeconds: integer(
    'PASSPORTS_TASK_DEADLINE_SECONDS',
    3600,
    'Processing time limit of a document over all attempts; at least 20 seconds per page.',
    { min: 1, max: MAX_SECONDS },
  ),
  pdfMaxImages: integer('PDF_MAX_IMAGES', 100, 'Maximum number of images in one PDF.', { min: 1, max: 200 }),
  imageSessionTtlSeconds: integer(
    'IMAGE_SESSION_TTL_SECONDS',
    86_400,
    'Lifetime of uploaded images that are not yet part of a PDF.',
    { min: 60, max: MAX_SECONDS },
  ),
  llmProvider: choice(
    'LLM_PROVIDER',
    ['none', 'openai'],
    'none',
    '`openai`: sends documents to an OpenAI-compatible language model, which helps to find fields.',
  ),
  llmBaseUrl: text('LLM_BASE_URL', 'https://api.openai.com/v1', 'Base address of the language model.', httpUrl),
  llmModel: text('LLM_MODEL', undefined, 'Name of the language model; required with a provider.'),
  llmApiKey: secret('LLM_API_KEY', 'API key of the language model; a self-hosted model may not need one.'),
  llmTimeoutSeconds: integer('LLM_TIMEOUT_SECONDS', 60, 'Time limit of the language model per document.', {
    min: 1,
    max: 3600,
  }),
  llmRequired: flag(
    'LLM_REQUIRED',
    false,
    'Fails a document if the language model fails. By default the result is kept without it, with a warning.',
  ),
};

export type Settings = Omit<Values<typeof settings>, 'bearerScope'> & { readonly bearerScope: 'documented' | 'all' };

const crossFieldRules: readonly CrossFieldRule<typeof settings>[] = [
  {
    fields: ['llmProvider', 'llmModel', 'llmRequired'],
    check({ llmProvider, llmModel, llmRequired }) {
      if (llmProvider !== 'none' && llmModel === undefined) {
        throw new Error('LLM_MODEL must be set if LLM_PROVIDER is set.');
      }
      if (llmProvider === 'none' && llmRequired) throw new Error('LLM_REQUIRED needs an LLM_PROVIDER.');
    },
  },
];

/** Throws one `SettingsError` with every error. */
export function loadSettings(env: Environment): Settings {
  const values = readSettings(settings, env, crossFieldRules);
  return { ...values, bearerScope: values.bearerScope ?? (profileOf(env) === 'production' ? 'all' : 'documented') };
}

export function missingCredentials(env: Environment): string[] {
  const { apiKeys: keys } = readSettings({ apiKeys: settings.apiKeys }, env);
  // An empty value is a deliberate choice.
  return keys === undefined ? [settings.apiKeys.env] : [];
}

function signingSecret(env: string, about: string): Setting<string | undefined> {
  return secret(env, about, (value) => {
    if (!value) return undefined;
    if (Buffer.byteLength(value) < 32) throw new Error('must have at least 32 bytes.');
    return value;
  });
}

function optionalChoice<C extends string>(
  env: string,
  choices: readonly C[],
  shownDefault: string,
  about: string,
): Setting<C | undefined> {
  const setting = text(env, undefined, about, (input) => {
    if ((choices as readonly string[]).includes(input)) return input;
    throw new Error(`must be one of ${choices.join(', ')}, not "${input}".`);
  });
  return { ...(setting as Setting<C | undefined>), displayedDefault: shownDefault };
}

function httpUrl(input: string): string {
  if (/^https?:\/\//.test(input) && parseUrl(input)) return input.replace(/(?<!\/)\/+$/, '');
  throw new Error(`must be an address like https://api.example.com/v1, not "${input}".`);
}
