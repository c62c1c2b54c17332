import { split } from '../../base/settings.ts';
import type { Service } from '../service.ts';
import { imageHosts } from './image-policy.ts';
import { present } from './present.ts';
import { missingCredentials, readOwn, settings, tokensOf } from './settings.ts';
import { webhookSecrets } from './webhook-secrets.ts';

/** A photo of a surface becomes defect classes. */
export const defectoscopy: Service = {
  name: 'defectoscopy',
  settings,
  missingCredentials,

  configure(env) {
    const own = readOwn(env);
    const tokens = tokensOf(own);
    const secrets = webhookSecrets(own.webhookSecrets, tokens);
    const token = [...split(own.apiTokens ?? ''), own.apiToken?.trim()].find((word) => word && !/^sha256:/i.test(word));
    return (shared) => ({
      name: 'defectoscopy',
      title: 'Defectoscopy',
      port: own.port,
      present,
      verdicts: { auth: tokens.state, image_hosts: imageHosts(own) },
      webhook: { event: 'defectoscopy.result.terminal', secretFor: (principal) => secrets.get(principal) },
      startAfterSeconds: { realtime: 0, batch: own.costDelaySeconds },
      gateway: async (house) => (await import('./gateway.ts')).openGateway({ house, own, shared, tokens }),
      load: async (house) => (await import('./model.ts')).loadModel({ house, own, shared }),
      token,
      example: (baseUrl) => example(baseUrl, token),
      pageUrl: (baseUrl) => (token ? `${baseUrl}/#token=${token}` : baseUrl),
    });
  },
};

/** Uploads the example photo and asks for its classes, with nothing but curl. */
function example(baseUrl: string, token: string | undefined): string {
  const auth = token ? `-H 'Authorization: Bearer ${token}' ` : '';
  const upload = `curl -s ${auth}-H 'Content-Type: image/jpeg' --data-binary @examples/wall.jpg ${baseUrl}/files`;
  const predict = `curl -s ${auth}-H 'Content-Type: application/json' -d "{\\"image_url\\":\\"$URL\\"}" ${baseUrl}/predict`;
  return `URL=$(${upload} | grep -o 'https://[^"]*') && ${predict}`;
}
