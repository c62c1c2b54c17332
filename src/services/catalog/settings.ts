import {
  type Agreement,
  type Environment,
  flag,
  integer,
  list,
  profileOf,
  readSettings,
  type Setting,
  text,
  type Values,
} from '../../base/settings.ts';
import { tokensFrom } from '../../http/bearer.ts';
import { tokenList } from '../../http/token-settings.ts';

/** The services whose results can be searched. */
export const SOURCES: readonly string[] = ['defectoscopy', 'stt', 'passports'];
/** Without passports, which contain personal data. */
const DEFAULT_SOURCES: readonly string[] = ['defectoscopy', 'stt'];

export const settings = {
  port: integer('CATALOG_PORT', 8004, 'Port of the catalog listener: search, reports and their pages.', {
    max: 65_535,
  }),
  publicUrl: text('CATALOG_PUBLIC_URL', undefined, 'Base address under which clients reach the catalog.'),
  apiTokens: tokenList(
    'REPORTS_API_TOKENS',
    'Comma-separated reader tokens, for searching and reporting; `sha256:<hex>` stores a digest instead of the token; `assay tokens` issues more. If not set, only moderators can read.',
  ),
  moderatorTokens: tokenList(
    'REPORTS_MODERATOR_TOKENS',
    'Comma-separated moderator tokens, for reading, deciding on reports and importing records; required in `production`.',
  ),
  apply: flag(
    'REPORTS_APPLY',
    true,
    'An accepted report hides its record or shows it again; `false`: the decision is only recorded.',
  ),
  open: flag(
    'CATALOG_PUBLIC',
    false,
    'Allows reading and reporting without a token (30 reports per minute and address).',
  ),
  sources: sources(
    'CATALOG_SOURCES',
    `Services whose results can be searched: ${SOURCES.join(', ')}; \`none\`: only imported records. Passports contain personal data.`,
  ),
  retentionDays: integer('CATALOG_RETENTION_DAYS', 365, 'How long a record is kept after it was last indexed.', {
    min: 1,
    max: 36_500,
  }),
};

export type Own = Omit<Values<typeof settings>, 'sources'> & { readonly sources: readonly string[] };

/** Reads the catalog's settings; throws a `SettingsProblem` that names all errors. */
export function readOwn(env: Environment): Own {
  const rules = [distinctTokens, ...(profileOf(env) === 'production' ? [moderatorRequired] : [])];
  const own = readSettings(settings, env, rules);
  return { ...own, sources: own.sources ?? (profileOf(env) === 'local' ? SOURCES : DEFAULT_SOURCES) };
}

/** The token variables that the `local` profile generates. An empty value is a choice and not missing. */
export function missingCredentials(env: Environment): string[] {
  const { apiTokens, moderatorTokens } = settings;
  const values = readSettings({ apiTokens, moderatorTokens }, env);
  return [
    ...(values.apiTokens === undefined ? [apiTokens.env] : []),
    ...(values.moderatorTokens === undefined ? [moderatorTokens.env] : []),
  ];
}

const distinctTokens: Agreement<typeof settings> = {
  between: ['apiTokens', 'moderatorTokens'],
  check({ apiTokens, moderatorTokens }) {
    const readers = digestsOf(apiTokens);
    if (!digestsOf(moderatorTokens).some((digest) => readers.includes(digest))) return;
    throw new Error('REPORTS_MODERATOR_TOKENS: a token is in REPORTS_API_TOKENS too; remove it from one of the lists.');
  },
};

const moderatorRequired: Agreement<typeof settings> = {
  between: ['moderatorTokens'],
  check({ moderatorTokens }) {
    if (digestsOf(moderatorTokens).length > 0) return;
    throw new Error(
      'REPORTS_MODERATOR_TOKENS must be set in `production`: without moderators no report can be decided.',
    );
  },
};

function digestsOf(tokens: string | undefined): string[] {
  const set = tokensFrom({ list: tokens, mayDisable: false });
  return set.state === 'enforced' ? set.entries.map(({ digest }) => digest.toString('latin1')) : [];
}

/** Undefined: the profile's default. */
function sources(env: string, about: string): Setting<readonly string[] | undefined> {
  const setting = list(env, [], about, (name) => {
    if (SOURCES.includes(name)) return name;
    throw new Error(`"${name}" is not one of ${SOURCES.join(', ')}.`);
  });
  return {
    ...setting,
    shownDefault: 'all in `local`, otherwise defectoscopy,stt',
    read(value) {
      if (!value) return undefined;
      return value === 'none' ? [] : [...new Set(setting.read(value))];
    },
  };
}
