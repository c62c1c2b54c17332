import { fileURLToPath } from 'node:url';
import { splitList } from '../../base/settings.ts';
import type { Service, SharedSettings } from '../shared/service.ts';
import { texts } from './browser/texts.ts';
import { imageHosts } from './image-policy.ts';
import { present } from './present.ts';
import { photoRecords } from './records.ts';
import { configuredTokens, type DefectoscopySettings, loadSettings, missingCredentials, settings } from './settings.ts';
import { unknownPrincipals, webhookSecrets } from './webhook-secrets.ts';

const TITLE = 'Defectoscopy';

export const defectoscopy: Service = {
  name: 'defectoscopy',
  title: TITLE,
  settings,
  missingCredentials,
  backup: { folders: ['models/defectoscopy'] },

  configure(env) {
    const serviceSettings = loadSettings(env);
    const tokens = configuredTokens(serviceSettings);
    const secrets = webhookSecrets(serviceSettings.webhookSecrets, tokens);
    const unknown = unknownPrincipals(secrets, tokens);
    const token = [...splitList(serviceSettings.apiTokens ?? ''), serviceSettings.apiToken].find(
      (token) => token && !/^sha256:/i.test(token),
    );
    return (shared) => ({
      name: 'defectoscopy',
      title: TITLE,
      titles: { en: texts.en.service, ru: texts.ru.service },
      port: serviceSettings.port,
      publicUrl: serviceSettings.publicUrl,
      derivedSettings: {
        auth: tokens.state,
        image_hosts: imageHostsSummary(serviceSettings, shared),
        ...(unknown.length > 0 && {
          webhook_secrets: `used only if \`assay tokens\` has issued ${unknown.join(', ')}: no configured token has this name`,
        }),
      },
      gateway: async (context) =>
        (await import('./gateway.ts')).createDefectoscopyGateway({ context, serviceSettings, shared, tokens, secrets }),
      work: {
        present: (task) => present(task),
        webhook: { event: 'defectoscopy.result.terminal', secretFor: (principal) => secrets.get(principal) },
        load: async (context) => (await import('./model.ts')).loadModel({ context, serviceSettings, shared }),
        maxWaiting: serviceSettings.maxWaiting,
        startAfterSeconds: { realtime: 0, batch: serviceSettings.costDelaySeconds },
      },
      records: photoRecords(serviceSettings, shared),
      tokenOptions: {
        roles: ['client'],
        ...(tokens.state === 'disabled' && { unusedReason: 'authorization is disabled: tokens are not checked' }),
      },
      credential: token,
      example: (baseUrl) => example(baseUrl, token),
      pageUrl: (baseUrl) => (token ? `${baseUrl}/#token=${token}` : baseUrl),
    });
  },
};

function imageHostsSummary(serviceSettings: DefectoscopySettings, { filesHost }: SharedSettings): string {
  if (imageHosts(serviceSettings) === 'configured') return 'configured';
  return filesHost
    ? 'uploads only: no storage host is allowed'
    : 'none: no storage host is allowed and uploads are off';
}

const PHOTO = fileURLToPath(new URL('../../../examples/wall.jpg', import.meta.url));

/** A curl command that uploads the example photo, creates a task and waits for its result. */
function example(baseUrl: string, token: string | undefined): string {
  const curl = token ? `curl -sS -H 'Authorization: Bearer ${token}'` : 'curl -sS';
  const photo = `'@${PHOTO.replaceAll("'", `'\\''`)}'`;
  const upload = `${curl} -H 'Content-Type: image/jpeg' --data-binary ${photo} ${baseUrl}/files`;
  const predict = `${curl} -H 'Content-Type: application/json' -d "{\\"image_url\\":\\"$URL\\"}" ${baseUrl}/predict`;
  const result = `${curl} -w '\\n' -H 'Prefer: wait=30' "${baseUrl}$RESULT"`;
  return `URL=$(${upload} | grep -o 'https://[^"]*') && RESULT=$(${predict} | grep -o '/result/[^"]*') && ${result}`;
}
