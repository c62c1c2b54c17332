import { fileURLToPath } from 'node:url';
import { split } from '../../base/settings.ts';
import type { Service, SharedSettings } from '../service.ts';
import { texts } from './browser/texts.ts';
import { imageHosts } from './image-policy.ts';
import { present } from './present.ts';
import { photoRecords } from './records.ts';
import { missingCredentials, type Own, readOwn, settings, tokensOf } from './settings.ts';
import { strangers, webhookSecrets } from './webhook-secrets.ts';

const TITLE = 'Defectoscopy';

/** A photo of a surface becomes defect classes. */
export const defectoscopy: Service = {
  name: 'defectoscopy',
  title: TITLE,
  settings,
  missingCredentials,

  configure(env) {
    const own = readOwn(env);
    const tokens = tokensOf(own);
    const secrets = webhookSecrets(own.webhookSecrets, tokens);
    const unknown = strangers(secrets, tokens);
    const token = [...split(own.apiTokens ?? ''), own.apiToken].find((word) => word && !/^sha256:/i.test(word));
    return (shared) => ({
      name: 'defectoscopy',
      title: TITLE,
      titles: { en: texts.en.service, ru: texts.ru.service },
      port: own.port,
      publicUrl: own.publicUrl,
      verdicts: {
        auth: tokens.state,
        image_hosts: imageVerdict(own, shared),
        ...(unknown.length > 0 && {
          webhook_secrets: `of use if \`assay tokens\` has issued ${unknown.join(', ')}: no token here is called so`,
        }),
      },
      gateway: async (house) => (await import('./gateway.ts')).openGateway({ house, own, shared, tokens, secrets }),
      work: {
        present: (task) => present(task),
        webhook: { event: 'defectoscopy.result.terminal', secretFor: (principal) => secrets.get(principal) },
        load: async (house) => (await import('./model.ts')).loadModel({ house, own, shared }),
        maxWaiting: own.maxWaiting,
        startAfterSeconds: { realtime: 0, batch: own.costDelaySeconds },
      },
      records: photoRecords(own, shared),
      issues: {
        roles: ['client'],
        ...(tokens.state === 'disabled' && { unused: 'authorization is disabled: everybody may come in without' }),
      },
      credential: token,
      example: (baseUrl) => example(baseUrl, token),
      pageUrl: (baseUrl) => (token ? `${baseUrl}/#token=${token}` : baseUrl),
    });
  },
};

function imageVerdict(own: Own, { filesHost }: SharedSettings): string {
  if (imageHosts(own) === 'configured') return 'configured';
  return filesHost ? 'only uploads: no storage host is allowed' : 'none: no storage host is allowed, and no uploads';
}

const PHOTO = fileURLToPath(new URL('../../../examples/wall.jpg', import.meta.url));

/** Uploads the example photo, asks for its classes and waits for them, with nothing but curl and grep. */
function example(baseUrl: string, token: string | undefined): string {
  const curl = token ? `curl -sS -H 'Authorization: Bearer ${token}'` : 'curl -sS';
  const photo = `'@${PHOTO.replaceAll("'", `'\\''`)}'`;
  const upload = `${curl} -H 'Content-Type: image/jpeg' --data-binary ${photo} ${baseUrl}/files`;
  const predict = `${curl} -H 'Content-Type: application/json' -d "{\\"image_url\\":\\"$URL\\"}" ${baseUrl}/predict`;
  const result = `${curl} -w '\\n' -H 'Prefer: wait=30' "${baseUrl}$RESULT"`;
  return `URL=$(${upload} | grep -o 'https://[^"]*') && RESULT=$(${predict} | grep -o '/result/[^"]*') && ${result}`;
}
