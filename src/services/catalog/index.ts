import type { Service } from '../service.ts';
import { configuredEntries } from './access/tokens.ts';
import { texts } from './pages/texts.ts';
import { missingCredentials, readOwn, settings } from './settings.ts';

const TITLE = 'Catalog';

/** What the other services have finished becomes records that people search, report and moderate. */
export const catalog: Service = {
  name: 'catalog',
  title: TITLE,
  settings,
  missingCredentials,
  // Without a catalog nobody would read what the tables' triggers write down for it. That a person has deleted something
  // stays written, for the day when there is one again.
  takeBack: async (db) => {
    await db.query('delete from catalog_sources');
    await db.query('delete from catalog_feed where not gone');
  },

  configure(env) {
    const own = readOwn(env);
    const entries = configuredEntries(own);
    const token = plainToken(own.moderatorTokens);
    const readersToken = plainToken(own.apiTokens);
    return (shared) => ({
      name: 'catalog',
      title: TITLE,
      titles: { en: texts.en.service, ru: texts.ru.service },
      port: own.port,
      publicUrl: own.publicUrl,
      verdicts: {
        readers: own.open ? 'everybody' : counted(entries.readers.length, 'none: only moderators read'),
        moderators: counted(entries.moderators.length, 'none: nobody decides on reports'),
        sources: own.sources.join(', ') || 'none: only what is imported',
      },
      gateway: async (house) => (await import('./gateway.ts')).openGateway({ house, own, shared, entries }),
      attend: async (house, signal) => (await import('./model.ts')).attend({ house, own, shared, signal }),
      tidy: async (house, signal) => (await import('./housekeeping.ts')).tidy({ house, own, signal }),
      issues: { roles: ['reader', 'moderator'] },
      credential: token,
      ...(readersToken !== undefined && { otherCredentials: { reader: readersToken } }),
      example: (baseUrl) => example(baseUrl, token),
      pageUrl: (baseUrl) => (token ? `${baseUrl}/login#token=${token}` : baseUrl),
    });
  },
};

const counted = (tokens: number, none: string) => (tokens === 0 ? none : `${tokens} configured`);

/** The first token of a list that is not only known by its digest. */
const plainToken = (tokens = '') =>
  tokens
    .split(',')
    .map((word) => word.trim())
    .find((word) => word !== '' && !/^sha256:/i.test(word));

/** Indexes a record of one's own and finds it by a word that is misspelt, with nothing but curl. */
function example(baseUrl: string, token: string | undefined): string {
  const curl = `curl -sS -w '\\n' -H 'Authorization: Bearer ${token ?? 'TOKEN'}'`;
  const record = '{"records":[{"record_id":"bridge-7","title":"Bridge 7","text":"crack in the third beam"}]}';
  return `${curl} -H 'Content-Type: application/json' -d '${record}' ${baseUrl}/index && ${curl} '${baseUrl}/search?q=crakc'`;
}
