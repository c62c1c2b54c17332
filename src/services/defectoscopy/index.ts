import { readSettings } from '../../base/settings.ts';
import { tokensFrom } from '../../http/bearer.ts';
import type { OpenService, Service } from '../service.ts';
import { present } from './present.ts';
import { settings } from './settings.ts';
import { webhookSecrets } from './webhook-secrets.ts';

/** A photo of a surface becomes defect classes. */
export const defectoscopy: Service = {
  name: 'defectoscopy',
  settings,
  localCredentials: [{ env: 'DEFECTOSCOPY_API_TOKENS', unless: ['DEFECTOSCOPY_API_TOKEN', 'DEFECTOSCOPY_AUTH'] }],

  open(env, shared): OpenService {
    const own = readSettings(settings, env);
    const tokens = tokensFrom({
      ...(own.apiTokens !== undefined && { list: own.apiTokens }),
      ...(own.apiToken !== undefined && { single: own.apiToken }),
      ...(own.auth === 'disabled' && { authSetting: own.auth }),
    });
    const secrets = webhookSecrets(own.webhookSecrets);
    const token = firstToken(own.apiTokens) ?? firstToken(own.apiToken);
    return {
      name: 'defectoscopy',
      title: 'Defectoscopy',
      port: own.port,
      present,
      webhook: { event: 'defectoscopy.result.terminal', secretFor: (principal) => secrets.get(principal) },
      startAfterSeconds: { realtime: 0, batch: own.costDelaySeconds },
      gateway: async (house) => (await import('./gateway.ts')).openGateway({ house, own, shared, tokens }),
      load: async (house) => (await import('./model.ts')).loadModel({ house, own, shared }),
      example: (baseUrl) => example(baseUrl, token),
      pageUrl: (baseUrl) => (token ? `${baseUrl}/#token=${token}` : baseUrl),
    };
  },
};

const firstToken = (list: string | undefined) =>
  list
    ?.split(',')
    .map((token) => token.trim())
    .find((token) => token && !token.startsWith('sha256:'));

/** Uploads the example photo and asks for its classes, with nothing but curl. */
function example(baseUrl: string, token: string | undefined): string {
  const auth = token ? `-H 'Authorization: Bearer ${token}' ` : '';
  const upload = `curl -s ${auth}-H 'Content-Type: image/jpeg' --data-binary @examples/wall.jpg ${baseUrl}/files`;
  const predict = `curl -s ${auth}-H 'Content-Type: application/json' -d "{\\"image_url\\":\\"$URL\\"}" ${baseUrl}/predict`;
  return `URL=$(${upload} | grep -o 'https://[^"]*') && ${predict}`;
}
