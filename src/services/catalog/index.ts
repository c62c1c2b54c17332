import { plainToken } from '../shared/local-examples.ts';
import type { BackgroundService, Service } from '../shared/service.ts';
import { configuredEntries } from './auth/tokens.ts';
import { texts } from './pages/texts.ts';
import { loadSettings, missingCredentials, settings } from './settings.ts';

const TITLE = 'Catalog';

export const catalog: Service<BackgroundService> = {
  name: 'catalog',
  title: TITLE,
  settings,
  failureTexts: { en: {}, ru: {} },
  missingCredentials,
  backup: {
    fileColumns: [{ table: 'catalog_records', column: 'picture_key' }],
    startTables: ['catalog_sources'],
  },
  // Nothing consumes the feed then. Deletions stay, in case the catalog is enabled again.
  onDisabled: async (db) => {
    await db.query('delete from catalog_sources');
    await db.query('delete from catalog_feed where not deleted');
  },

  configure(env) {
    const config = loadSettings(env);
    const entries = configuredEntries(config);
    const token = plainToken(config.moderatorTokens);
    const readersToken = plainToken(config.apiTokens);
    return (shared) => ({
      name: 'catalog',
      title: TITLE,
      titles: { en: texts.en.service, ru: texts.ru.service },
      port: config.port,
      publicUrl: config.publicUrl,
      derivedSettings: {
        readers: config.open ? 'everyone' : countText(entries.readers.length, 'none: only moderators can read'),
        moderators: countText(entries.moderators.length, 'none: reports cannot be decided'),
        sources: config.sources.join(', ') || 'none: only imported records',
      },
      gateway: async (context) =>
        (await import('./gateway.ts')).createCatalogGateway({ context, settings: config, shared, entries }),
      runBackgroundJob: async (context, signal) =>
        (await import('./indexer.ts')).runIndexer({ context, settings: config, shared, signal }),
      gauges: [
        {
          key: 'documents',
          metric: 'assay_catalog_documents',
          labels: { en: 'Searchable records', ru: 'Записей в каталоге' },
        },
        {
          key: 'lag_seconds',
          metric: 'assay_catalog_lag_seconds',
          labels: { en: 'Indexing lag, seconds', ru: 'Задержка индексации, секунд' },
        },
      ],
      cleanup: async (context, signal) => (await import('./cleanup.ts')).cleanup(context, config, signal),
      tokenOptions: { roles: ['reader', 'moderator'] },
      credential: token,
      ...(readersToken !== undefined && { otherCredentials: { reader: readersToken } }),
      example: (baseUrl) => example(baseUrl, token),
      pageUrl: (baseUrl) => (token ? `${baseUrl}/login#token=${token}` : baseUrl),
    });
  },
};

const countText = (tokens: number, none: string) => (tokens === 0 ? none : `${tokens} configured`);

function example(baseUrl: string, token: string | undefined): string {
  const curl = `curl -sS -w '\\n' -H 'Authorization: Bearer ${token ?? 'TOKEN'}'`;
  const record = '{"records":[{"record_id":"bridge-7","title":"Bridge 7","text":"crack in the third beam"}]}';
  return `${curl} -H 'Content-Type: application/json' -d '${record}' ${baseUrl}/index && ${curl} '${baseUrl}/search?q=crakc'`;
}
