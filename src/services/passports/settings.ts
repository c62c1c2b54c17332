import { parsedUrl } from '../../base/parsed-url.ts';
import {
  type Agreement,
  choice,
  type Environment,
  flag,
  integer,
  LONGEST_SECONDS,
  NO_ENTRY,
  profileOf,
  readSettings,
  type Setting,
  text,
  type Values,
  verbatim,
} from '../../base/settings.ts';
import { maxWaiting } from '../max-waiting.ts';
import { apiKeysFrom, checkKeysForProduction } from './auth/api-keys.ts';
import { loadSchema } from './schema/load-schema.ts';

export const settings = {
  port: integer('PASSPORTS_PORT', 8003, 'Port of the passports listener.', { max: 65_535 }),
  publicUrl: text('PASSPORTS_PUBLIC_URL', undefined, 'Base address under which clients reach the service.'),
  apiKeys: apiKeys(
    'PASSPORTS_API_KEYS',
    'Keys that are exchanged for tokens, comma-separated or a line each: `name:key`, or `name:sha256:<hex>` to keep only the digest here, with `:admin` or `:user` at the end (without: admin); `assay tokens` issues more. Without any key nobody gets a token.',
  ),
  jwtSecret: signingSecret(
    'PASSPORTS_JWT_SECRET',
    'Signs tokens, at least 32 bytes; made under DATA_DIR if not set. Where several machines listen, all need the same.',
  ),
  jwtSecretPrevious: signingSecret(
    'PASSPORTS_JWT_SECRET_PREVIOUS',
    'The secret before: tokens that it signed are good until they expire.',
  ),
  jwtLifetimeHours: integer('PASSPORTS_JWT_LIFETIME_HOURS', 24, 'How long a token is good.', { min: 1, max: 8760 }),
  bearerScope: optionalChoice(
    'PASSPORTS_BEARER_SCOPE',
    ['documented', 'all'],
    'documented; all in `production`',
    '`documented`: a session cookie is enough where the specification shows no Authorization header. `all`: a token everywhere.',
  ),
  strictOwnership: flag(
    'PASSPORTS_STRICT_OWNERSHIP',
    false,
    "A token reaches no document of an anonymous session; by default it reads them by their id, and an administrator's changes them.",
  ),
  tokenLimitPerMinute: integer(
    'PASSPORTS_TOKEN_LIMIT_PER_MINUTE',
    10,
    'Attempts of one address to exchange a key, in any 60 seconds; 0 switches the limit off.',
    { max: 1_000_000 },
  ),
  maxWaiting: maxWaiting('PASSPORTS_MAX_WAITING', 10_000),
  schemaFile: schemaFile('PASSPORTS_SCHEMA_FILE', 'The fields to look for, as JSON; not set: technical passports.'),
  tesseract: text(
    'PASSPORTS_TESSERACT',
    'tesseract',
    'The program Tesseract, which reads scans where the machine has it with the language `rus`; `none`: the reader that comes with the product, in any case.',
  ),
  taskDeadlineSeconds: integer(
    'PASSPORTS_TASK_DEADLINE_SECONDS',
    3600,
    'How long a document may be worked on, over all attempts; at least 20 seconds a page are granted.',
    { min: 1, max: LONGEST_SECONDS },
  ),
  pdfMaxImages: integer('PDF_MAX_IMAGES', 100, 'Images that one PDF may be assembled from.', { min: 1, max: 200 }),
  imageSessionTtlSeconds: integer(
    'IMAGE_SESSION_TTL_SECONDS',
    86_400,
    'How long uploaded images wait to become a PDF.',
    { min: 60, max: LONGEST_SECONDS },
  ),
  llmProvider: choice(
    'LLM_PROVIDER',
    ['none', 'openai'],
    'none',
    '`openai`: an OpenAI-compatible language model helps to find fields; documents are then sent to it.',
  ),
  llmBaseUrl: text('LLM_BASE_URL', 'https://api.openai.com/v1', 'Base address of the language model.', httpUrl),
  llmModel: text('LLM_MODEL', undefined, 'Name of the language model; needed where there is a provider.'),
  llmApiKey: verbatim('LLM_API_KEY', 'Key of the language model; a model of your own may need none.', {
    secret: true,
  }),
  llmTimeoutSeconds: integer('LLM_TIMEOUT_SECONDS', 60, 'How long the language model may take over a document.', {
    min: 1,
    max: 3600,
  }),
  llmRequired: flag(
    'LLM_REQUIRED',
    false,
    'A document fails when the language model does; by default what was found without it is kept, with a warning.',
  ),
};

export type Own = Omit<Values<typeof settings>, 'bearerScope'> & { readonly bearerScope: 'documented' | 'all' };

const agreements: readonly Agreement<typeof settings>[] = [
  {
    between: ['llmProvider', 'llmModel', 'llmRequired'],
    check({ llmProvider, llmModel, llmRequired }) {
      if (llmProvider !== 'none' && llmModel === undefined) {
        throw new Error('LLM_MODEL must be set where LLM_PROVIDER names one.');
      }
      if (llmProvider === 'none' && llmRequired) throw new Error('LLM_REQUIRED needs an LLM_PROVIDER.');
    },
  },
];

/** Everything that the operator said of this service, or a `SettingsProblem` with every fault in it. */
export function readOwn(env: Environment): Own {
  const own = readSettings(settings, env, agreements);
  return { ...own, bearerScope: own.bearerScope ?? (profileOf(env) === 'production' ? 'all' : 'documented') };
}

/** What the `local` profile has to make: a key, where nobody has said anything about keys. */
export function missingCredentials(env: Environment): string[] {
  const { apiKeys: keys } = readSettings({ apiKeys: settings.apiKeys }, env);
  // Defined and empty was left so on purpose.
  return keys === undefined ? [settings.apiKeys.env] : [];
}

/** Text that must list keys, kept as it is: a complaint never quotes one. */
function apiKeys(env: string, about: string): Setting<string | undefined> {
  return {
    ...verbatim(env, about, { secret: true }),
    read(given) {
      if (apiKeysFrom(given).length === 0 && given) throw new Error(NO_ENTRY);
      return given;
    },
    checkForProduction: checkKeysForProduction,
  };
}

function signingSecret(env: string, about: string): Setting<string | undefined> {
  return {
    ...verbatim(env, about, { secret: true }),
    read(secret) {
      if (!secret) return undefined;
      if (Buffer.byteLength(secret) < 32) throw new Error('must have at least 32 bytes.');
      return secret;
    },
  };
}

/** A file that cannot be used stops the start, not the first document. */
function schemaFile(env: string, about: string): Setting<string | undefined> {
  return text(env, undefined, about, (file) => {
    loadSchema(file);
    return file;
  });
}

function optionalChoice<C extends string>(
  env: string,
  choices: readonly C[],
  shownDefault: string,
  about: string,
): Setting<C | undefined> {
  const setting = text(env, undefined, about, (given) => {
    if ((choices as readonly string[]).includes(given)) return given;
    throw new Error(`must be one of ${choices.join(', ')}, not "${given}".`);
  });
  return { ...(setting as Setting<C | undefined>), shownDefault };
}

function httpUrl(given: string): string {
  if (/^https?:\/\//.test(given) && parsedUrl(given)) return given.replace(/(?<!\/)\/+$/, '');
  throw new Error(`must be an address like https://api.example.com/v1, not "${given}".`);
}
