import { SANDBOX_ROLE } from '../../http/sandbox-credential.ts';
import { plainToken, uploadExample } from '../shared/local-examples.ts';
import type { Service, TaskService } from '../shared/service.ts';
import { texts } from './browser/texts.ts';
import { failureTexts } from './failures.ts';
import { present, presentTruncated } from './present.ts';
import { recordingRecords } from './records.ts';
import { sandbox } from './sandbox.ts';
import { configuredTokens, loadSettings, missingCredentials, settings } from './settings.ts';

const TITLE = 'Speech to text';

const EXAMPLE = { file: 'voice-note.mp3', type: 'audio/mpeg', path: '/transcribe/audio_url', field: 'url' };

/**
 * Of glibc, in bytes and arenas. A fixed threshold, here the largest one, keeps glibc from raising both itself, so that freed
 * memory returns to the system: the networks of two recognizers take 0.1 GB less, in the same time. An MMAP_THRESHOLD of 2 MB
 * saves another 0.1 GB and takes a tenth more time. `deploy/stt.env` has the same.
 */
export const RETURN_FREED_MEMORY = {
  MALLOC_MMAP_THRESHOLD_: '33554432',
  MALLOC_TRIM_THRESHOLD_: '2097152',
  MALLOC_ARENA_MAX: '2',
};

export const stt: Service<TaskService> = {
  name: 'stt',
  title: TITLE,
  settings,
  failureTexts,
  missingCredentials,

  configure(env) {
    const serviceSettings = loadSettings(env);
    const tokens = configuredTokens(serviceSettings);
    const token = plainToken(serviceSettings.apiTokens, serviceSettings.apiToken);
    return (shared) => ({
      name: 'stt',
      title: TITLE,
      titles: { en: texts.en.service, ru: texts.ru.service },
      port: serviceSettings.port,
      publicUrl: serviceSettings.publicUrl,
      derivedSettings: { auth: tokens.state, providers: serviceSettings.providers.join(', ') },
      gateway: async (context) =>
        (await import('./gateway.ts')).createSttGateway({ context, serviceSettings, shared, tokens }),
      work: {
        present,
        // The secret is stored with each task.
        webhook: { event: 'stt.result.terminal', secretsFor: () => [], presentTruncated },
        load: async (context) => (await import('./model.ts')).loadModel({ context, serviceSettings, shared }),
        sandbox,
        maxWaiting: serviceSettings.maxWaiting,
        startAfterSeconds: { realtime: 0, batch: 0 },
      },
      workerEnvironment: RETURN_FREED_MEMORY,
      records: recordingRecords(shared),
      tokenOptions: { roles: ['client', SANDBOX_ROLE] },
      credential: token,
      example: (baseUrl) => uploadExample(baseUrl, token, EXAMPLE),
      shellVariables: ['ASSAY_STT', 'STT_TOKEN'],
      pageUrl: (baseUrl) => (token ? `${baseUrl}/#token=${token}` : baseUrl),
    });
  },
};
