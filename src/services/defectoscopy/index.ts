import { profileOf } from '../../base/settings.ts';
import { SANDBOX_ROLE } from '../../http/sandbox-credential.ts';
import { plainToken, uploadExample } from '../shared/local-examples.ts';
import type { Service, SharedSettings, TaskService } from '../shared/service.ts';
import { texts } from './browser/texts.ts';
import { REVIEWER } from './corrections/reviewers.ts';
import { deleteOldCorrections } from './corrections/store.ts';
import { deleteOldComparisons } from './deployments/shadow-report.ts';
import { cleanUpTrainings } from './deployments/trainings.ts';
import { failureTexts } from './failures.ts';
import { present } from './present.ts';
import { photoRecords } from './records.ts';
import { sandbox } from './sandbox.ts';
import { configuredTokens, type DefectoscopySettings, loadSettings, missingCredentials, settings } from './settings.ts';
import { imageHosts } from './url-policy.ts';
import { unknownPrincipals, webhookSecrets } from './webhook-secrets.ts';

const TITLE = 'Defectoscopy';

const EXAMPLE = { file: 'wall.jpg', type: 'image/jpeg', path: '/predict', field: 'image_url' };

export const defectoscopy: Service<TaskService> = {
  name: 'defectoscopy',
  title: TITLE,
  settings,
  failureTexts,
  missingCredentials,
  backup: { folders: ['models/defectoscopy'] },

  configure(env) {
    const serviceSettings = loadSettings(env);
    const tokens = configuredTokens(serviceSettings);
    const secrets = webhookSecrets(serviceSettings.webhookSecrets, tokens);
    const unknown = unknownPrincipals(secrets, tokens);
    const token = plainToken(serviceSettings.apiTokens, serviceSettings.apiToken);
    const isLocal = profileOf(env) === 'local';
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
        (await import('./gateway.ts')).createDefectoscopyGateway({
          ...{ context, serviceSettings, shared, tokens, secrets, isLocal },
        }),
      work: {
        present: (task) => present(task),
        webhook: { event: 'defectoscopy.result.terminal', secretsFor: (principal) => secrets.get(principal) ?? [] },
        load: async (context) => (await import('./model.ts')).loadModel({ context, serviceSettings, shared }),
        sandbox,
        maxWaiting: serviceSettings.maxWaiting,
        startAfterSeconds: { realtime: 0, batch: serviceSettings.costDelaySeconds },
      },
      records: photoRecords(serviceSettings, shared),
      async cleanup({ db }) {
        await deleteOldCorrections(db, serviceSettings.correctionRetentionDays);
        await deleteOldComparisons(db);
        await cleanUpTrainings(db);
      },
      tokenOptions: {
        roles: ['client', REVIEWER, SANDBOX_ROLE],
        ...(tokens.state === 'disabled' && { unusedReason: 'authorization is disabled: tokens are not checked' }),
      },
      credential: token,
      example: (baseUrl) => uploadExample(baseUrl, token, EXAMPLE),
      shellVariables: ['ASSAY', 'TOKEN'],
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
