import { SANDBOX_ROLE } from '../../http/sandbox-credential.ts';
import { shellPath } from '../shared/local-examples.ts';
import type { Service, SharedSettings, TaskService } from '../shared/service.ts';
import { parseApiKeys } from './auth/api-keys.ts';
import { listTexts as texts } from './browser/list-texts.ts';
import { failureTexts } from './failures.ts';
import { documentRecords } from './records.ts';
import { sandbox } from './sandbox.ts';
import { loadSettings, missingCredentials, type Settings, settings } from './settings.ts';
import { postgresDocumentStore } from './store/postgres.ts';
import { presentTask } from './store/status.ts';

const TITLE = 'Passports';

export const passports: Service<TaskService> = {
  name: 'passports',
  title: TITLE,
  settings,
  failureTexts,
  missingCredentials,
  backup: {
    fileColumns: [
      { table: 'passport_files', column: 'key' },
      { table: 'passport_pictures', column: 'key' },
      { table: 'passport_readings', column: 'key' },
      { table: 'passport_images', column: 'file_key' },
    ],
  },
  formatCredential: (secret) => `${LOCAL_KEY}:${secret}`,

  configure(env) {
    const config = loadSettings(env);
    const keys = parseApiKeys(config.apiKeys);
    const key = localKey(config.apiKeys);
    return (shared) => ({
      name: 'passports',
      title: TITLE,
      titles: { en: texts.en.service, ru: texts.ru.service },
      port: config.port,
      publicUrl: config.publicUrl,
      derivedSettings: {
        api_keys: keys.length > 0 ? `${keys.length} configured` : 'none: no token can be issued',
        bearer_scope: config.bearerScope,
        language_model: config.llmProvider === 'none' ? 'none' : `${config.llmModel} at ${config.llmBaseUrl}`,
      },
      gateway: async (context) => {
        const documents = documentsOf(config, shared, context);
        return (await import('./gateway.ts')).createGateway({ context, settings: config, shared, documents });
      },
      work: {
        present: presentTask,
        // This service has no webhooks yet; its tasks have none.
        webhook: { event: 'passports.task.terminal', secretsFor: () => [] },
        load: async (context) => (await import('./model.ts')).loadModel({ context, settings: config, shared }),
        sandbox,
        maxWaiting: config.maxWaiting,
        startAfterSeconds: { realtime: 0, batch: 0 },
      },
      records: documentRecords(config.schemaFile),
      cleanup: (context, signal) => documentsOf(config, shared, context).deleteExpired(signal),
      tokenOptions: { roles: ['user', 'admin', SANDBOX_ROLE] },
      credential: key,
      example: (baseUrl) => example(baseUrl, key),
      shellVariables: ['ASSAY_PASSPORTS', 'API_KEY'],
      pageUrl: (baseUrl) => (key ? `${baseUrl}/login#key=${key}` : baseUrl),
    });
  },
};

const LOCAL_KEY = 'local';

const documentsOf = (
  config: Settings,
  { filesQuotaBytes: quotaBytes }: Pick<SharedSettings, 'filesQuotaBytes'>,
  context: Omit<Parameters<typeof postgresDocumentStore>[0], 'strictOwnership' | 'imageTtlSeconds' | 'quotaBytes'>,
) =>
  postgresDocumentStore({
    ...context,
    quotaBytes,
    strictOwnership: config.strictOwnership,
    imageTtlSeconds: config.imageSessionTtlSeconds,
  });

const localKey = (apiKeys: string | undefined): string | undefined => {
  const [, name, key] = /^(\w+):([A-Za-z0-9-]+)$/.exec(apiKeys ?? '') ?? [];
  return name === LOCAL_KEY ? key : undefined;
};

/** Uses only curl, grep and sed. */
function example(baseUrl: string, key: string | undefined): string {
  const file = `files=${shellPath('passport.pdf')}`;
  const jsonField = (name: string) => `sed -n 's/.*"${name}":"\\([^"]*\\)".*/\\1/p'`;
  const login = `curl -sS -H 'Content-Type: application/json' -d '{"api_key":"${key ?? 'KEY'}"}' ${baseUrl}/auth/token`;
  const curl = `curl -sS -H "Authorization: Bearer $PASSPORTS_TOKEN" -H 'Accept: application/json'`;
  const wait = `while ${curl} ${baseUrl}/api/task/$ID/status | grep -q 'PENDING\\|PROCESSING'; do sleep 1; done`;
  return `PASSPORTS_TOKEN=$(${login} | ${jsonField('token')}) && ID=$(${curl} -F ${file} ${baseUrl}/upload | ${jsonField('id')}) && ${wait}; ${curl} -w '\\n' ${baseUrl}/api/task/$ID/result`;
}
