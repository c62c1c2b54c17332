import { checkUrl, UrlRejected } from '../../base/outbound-url.ts';
import { SettingsError } from '../../base/settings.ts';
import { bodyOfMessage, eventOfMessage } from '../../tasks/messages.ts';
import { plainToken } from '../shared/local-examples.ts';
import type { BackgroundService, Service, SharedSettings } from '../shared/service.ts';
import { webhookPolicy } from '../shared/webhook-policy.ts';
import { configuredEntries } from './auth/tokens.ts';
import { texts } from './pages/texts.ts';
import { REPORTS_PRINCIPAL } from './reports/webhook.ts';
import { type CatalogSettings, loadSettings, missingCredentials, settings } from './settings.ts';

const TITLE = 'Catalog';

export const catalog: Service<BackgroundService> = {
  name: 'catalog',
  title: TITLE,
  settings,
  failureTexts: { en: {}, ru: {} },
  missingCredentials,
  backup: {
    fileColumns: ['picture_key', 'thumbnail_key'].map((column) => ({ table: 'catalog_records', column })),
    startTables: ['catalog_sources', 'catalog_past_sources'],
  },
  cleanUpDatabase: async (db, signal) => (await import('./records/retention.ts')).deleteUnreadableFeedRows(db, signal),
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
    return (shared) => {
      checkWebhookUrl(config, shared);
      return {
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
          (await import('./indexer.ts')).runIndexer({ context, settings: config, shared, entries, signal }),
        messages: {
          present: bodyOfMessage,
          isWanted: async (message, { url, db }) =>
            (await import('./alerts/wanted.ts')).isWanted(db, message, { url, entries }),
          webhook: {
            event: eventOfMessage,
            secretsFor: (principal) => (principal === REPORTS_PRINCIPAL ? config.webhookSecrets : []),
          },
        },
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
        shellVariables: ['ASSAY_CATALOG', 'MODERATOR_TOKEN', 'READER_TOKEN'],
        pageUrl: (baseUrl) => (token ? `${baseUrl}/login#token=${token}` : baseUrl),
      };
    };
  },
};

/** Throws for a URL to which webhooks may not be sent. */
function checkWebhookUrl({ webhookUrl }: CatalogSettings, shared: SharedSettings): void {
  try {
    if (webhookUrl !== undefined) checkUrl(webhookUrl, webhookPolicy(shared));
  } catch (error) {
    throw error instanceof UrlRejected ? new SettingsError(`REPORTS_WEBHOOK_URL: ${error.message}`) : error;
  }
}

const countText = (tokens: number, none: string) => (tokens === 0 ? none : `${tokens} configured`);

function example(baseUrl: string, token: string | undefined): string {
  const curl = `curl -sS -w '\\n' -H 'Authorization: Bearer ${token ?? 'TOKEN'}'`;
  const record = '{"records":[{"record_id":"bridge-7","title":"Bridge 7","text":"crack in the third beam"}]}';
  return `${curl} -H 'Content-Type: application/json' -d '${record}' ${baseUrl}/index && ${curl} '${baseUrl}/search?q=crakc'`;
}
