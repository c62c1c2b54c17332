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

/** The services whose finished work can be searched. */
export const SOURCES: readonly string[] = ['defectoscopy', 'stt', 'passports'];
/** Documents of passports name people. */
const SOURCES_BY_DEFAULT: readonly string[] = ['defectoscopy', 'stt'];

export const settings = {
  port: integer('CATALOG_PORT', 8004, 'Port of the catalog listener: search, reports and their pages.', {
    max: 65_535,
  }),
  publicUrl: text('CATALOG_PUBLIC_URL', undefined, 'Base address under which clients reach the catalog.'),
  apiTokens: tokenList(
    'REPORTS_API_TOKENS',
    'Tokens of readers, who search and report, comma-separated; `sha256:<hex>` in place of a token keeps only its digest here; `assay tokens` issues more. Without any, only moderators read.',
  ),
  moderatorTokens: tokenList(
    'REPORTS_MODERATOR_TOKENS',
    'Tokens of moderators, who may all that, decide on reports and index records of their own; needed in `production`.',
  ),
  apply: flag(
    'REPORTS_APPLY',
    true,
    'An accepted report hides its record, or shows it again; `false`: the decision is only written down.',
  ),
  open: flag(
    'CATALOG_PUBLIC',
    false,
    'Everybody may read and report, without a token (30 reports a minute and address).',
  ),
  sources: sources(
    'CATALOG_SOURCES',
    `Services whose finished work can be searched, of ${SOURCES.join(', ')}; \`none\`: only what is imported. Documents of passports name people.`,
  ),
  retentionDays: integer('CATALOG_RETENTION_DAYS', 365, 'How long a record is kept after it was indexed last.', {
    min: 1,
    max: 36_500,
  }),
};

export type Own = Omit<Values<typeof settings>, 'sources'> & { readonly sources: readonly string[] };

/** Everything that the operator said of the catalog, or a `SettingsProblem` with every fault in it. */
export function readOwn(env: Environment): Own {
  const own = readSettings(settings, env, [apart, ...(profileOf(env) === 'production' ? [moderated] : [])]);
  return { ...own, sources: own.sources ?? (profileOf(env) === 'local' ? SOURCES : SOURCES_BY_DEFAULT) };
}

/** What the `local` profile has to make: a token of each kind, where nobody has said anything about that kind. */
export function missingCredentials(env: Environment): string[] {
  const { apiTokens, moderatorTokens } = settings;
  const given = readSettings({ apiTokens, moderatorTokens }, env);
  return [
    // Defined and empty was left so on purpose.
    ...(given.apiTokens === undefined ? [apiTokens.env] : []),
    ...(given.moderatorTokens === undefined ? [moderatorTokens.env] : []),
  ];
}

const apart: Agreement<typeof settings> = {
  between: ['apiTokens', 'moderatorTokens'],
  check({ apiTokens, moderatorTokens }) {
    const readers = digestsOf(apiTokens);
    if (!digestsOf(moderatorTokens).some((digest) => readers.includes(digest))) return;
    throw new Error(
      'REPORTS_MODERATOR_TOKENS: a token of readers cannot be a moderator’s too; remove it from one list.',
    );
  },
};

const moderated: Agreement<typeof settings> = {
  between: ['moderatorTokens'],
  check({ moderatorTokens }) {
    if (digestsOf(moderatorTokens).length > 0) return;
    throw new Error(
      'REPORTS_MODERATOR_TOKENS must be set in `production`: somebody must be able to decide on reports.',
    );
  },
};

function digestsOf(tokens: string | undefined): string[] {
  const set = tokensFrom({ list: tokens, mayDisable: false });
  return set.state === 'enforced' ? set.entries.map(({ digest }) => digest.toString('latin1')) : [];
}

/** Undefined: what the profile says. */
function sources(env: string, about: string): Setting<readonly string[] | undefined> {
  const setting = list(env, [], about, (name) => {
    if (SOURCES.includes(name)) return name;
    throw new Error(`"${name}" is none of ${SOURCES.join(', ')}.`);
  });
  return {
    ...setting,
    shownDefault: 'all of them in `local`, otherwise defectoscopy,stt',
    read(given) {
      if (!given) return undefined;
      return given === 'none' ? [] : [...new Set(setting.read(given))];
    },
  };
}
