import { fileURLToPath } from 'node:url';
import { splitList } from '../../base/settings.ts';
import type { Service, TaskService } from '../shared/service.ts';
import { texts } from './browser/texts.ts';
import { failureTexts } from './failures.ts';
import { present, presentTruncated } from './present.ts';
import { recordingRecords } from './records.ts';
import { configuredTokens, loadSettings, missingCredentials, settings } from './settings.ts';

const TITLE = 'Speech to text';

export const stt: Service<TaskService> = {
  name: 'stt',
  title: TITLE,
  settings,
  failureTexts,
  missingCredentials,

  configure(env) {
    const serviceSettings = loadSettings(env);
    const tokens = configuredTokens(serviceSettings);
    const token = [...splitList(serviceSettings.apiTokens ?? ''), serviceSettings.apiToken].find(
      (token) => token && !/^sha256:/i.test(token),
    );
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
        webhook: { event: 'stt.result.terminal', secretFor: () => undefined, presentTruncated },
        load: async (context) => (await import('./model.ts')).loadModel({ context, serviceSettings, shared }),
        maxWaiting: serviceSettings.maxWaiting,
        startAfterSeconds: { realtime: 0, batch: 0 },
      },
      records: recordingRecords(shared),
      tokenOptions: { roles: ['client'] },
      credential: token,
      example: (baseUrl) => example(baseUrl, token),
      pageUrl: (baseUrl) => (token ? `${baseUrl}/#token=${token}` : baseUrl),
    });
  },
};

const NOTE = fileURLToPath(new URL('../../../examples/voice-note.mp3', import.meta.url));

/** A curl command that uploads the example voice note, creates a task and waits for its result. */
function example(baseUrl: string, token: string | undefined): string {
  const curl = token ? `curl -sS -H 'Authorization: Bearer ${token}'` : 'curl -sS';
  const note = `'@${NOTE.replaceAll("'", `'\\''`)}'`;
  const upload = `${curl} -H 'Content-Type: audio/mpeg' --data-binary ${note} ${baseUrl}/files`;
  const create = `${curl} -H 'Content-Type: application/json' -d "{\\"url\\":\\"$URL\\"}" ${baseUrl}/transcribe/audio_url`;
  const result = `${curl} -w '\\n' -H 'Prefer: wait=30' "${baseUrl}$RESULT"`;
  return `URL=$(${upload} | grep -o 'https://[^"]*') && RESULT=$(${create} | grep -o '/result/[^"]*') && ${result}`;
}
