import { fileURLToPath } from 'node:url';
import type { Service, SharedSettings } from '../service.ts';
import { apiKeysFrom } from './auth/api-keys.ts';
import { listTexts as texts } from './browser/list-texts.ts';
import { documentRecords } from './records.ts';
import { missingCredentials, type Own, readOwn, settings } from './settings.ts';
import { postgresDocuments } from './store/postgres.ts';
import { presentTask } from './store/present-task.ts';

const TITLE = 'Passports';

/** Pages of a building's technical passport become fields that a person can check. */
export const passports: Service = {
  name: 'passports',
  title: TITLE,
  settings,
  missingCredentials,
  writeCredential: (secret) => `${LOCAL_KEY}:${secret}`,

  configure(env) {
    const own = readOwn(env);
    const keys = apiKeysFrom(own.apiKeys);
    const key = localKey(own.apiKeys);
    return (shared) => ({
      name: 'passports',
      title: TITLE,
      titles: { en: texts.en.service, ru: texts.ru.service },
      port: own.port,
      publicUrl: own.publicUrl,
      verdicts: {
        api_keys: keys.length > 0 ? `${keys.length} configured` : 'none: nobody gets a token',
        bearer_scope: own.bearerScope,
        language_model: own.llmProvider === 'none' ? 'none' : `${own.llmModel} at ${own.llmBaseUrl}`,
      },
      gateway: async (house) => {
        const documents = documentsOf(own, shared, house);
        return (await import('./gateway.ts')).openGateway({ house, own, shared, documents });
      },
      work: {
        present: presentTask,
        // No callback of this service is offered yet; its tasks have none.
        webhook: { event: 'passports.task.terminal', secretFor: () => undefined },
        load: async (house) => (await import('./model.ts')).loadModel({ house, own, shared }),
        maxWaiting: own.maxWaiting,
        startAfterSeconds: { realtime: 0, batch: 0 },
      },
      records: documentRecords(own.schemaFile),
      tidy: (house, signal) => documentsOf(own, shared, house).tidy(signal),
      issues: { roles: ['user', 'admin'] },
      credential: key,
      example: (baseUrl) => example(baseUrl, key),
      pageUrl: (baseUrl) => (key ? `${baseUrl}/login#key=${key}` : baseUrl),
    });
  },
};

/** The name of the key that the `local` profile makes. */
const LOCAL_KEY = 'local';

const documentsOf = (
  own: Own,
  { filesQuotaBytes: quotaBytes }: Pick<SharedSettings, 'filesQuotaBytes'>,
  house: Omit<Parameters<typeof postgresDocuments>[0], 'strictOwnership' | 'imageTtlSeconds' | 'quotaBytes'>,
) =>
  postgresDocuments({
    ...house,
    quotaBytes,
    strictOwnership: own.strictOwnership,
    imageTtlSeconds: own.imageSessionTtlSeconds,
  });

const localKey = (apiKeys: string | undefined): string | undefined => {
  const [, name, key] = /^(\w+):([A-Za-z0-9-]+)$/.exec(apiKeys ?? '') ?? [];
  return name === LOCAL_KEY ? key : undefined;
};

const PASSPORT = fileURLToPath(new URL('../../../examples/passport.pdf', import.meta.url));

/** Exchanges the key, uploads the example passport and waits for its fields, with nothing but curl, grep and sed. */
function example(baseUrl: string, key: string | undefined): string {
  const file = `'files=@${PASSPORT.replaceAll("'", `'\\''`)}'`;
  const word = (name: string) => `sed -n 's/.*"${name}":"\\([^"]*\\)".*/\\1/p'`;
  const login = `curl -sS -H 'Content-Type: application/json' -d '{"api_key":"${key ?? 'KEY'}"}' ${baseUrl}/auth/token`;
  const curl = `curl -sS -H "Authorization: Bearer $TOKEN" -H 'Accept: application/json'`;
  const wait = `while ${curl} ${baseUrl}/api/task/$ID/status | grep -q 'PENDING\\|PROCESSING'; do sleep 1; done`;
  return `TOKEN=$(${login} | ${word('token')}) && ID=$(${curl} -F ${file} ${baseUrl}/upload | ${word('id')}) && ${wait}; ${curl} -w '\\n' ${baseUrl}/api/task/$ID/result`;
}
