import { fileURLToPath } from 'node:url';
import { split } from '../../base/settings.ts';
import type { Service } from '../service.ts';
import { texts } from './browser/texts.ts';
import { present, presentThin } from './present.ts';
import { recordingRecords } from './records.ts';
import { missingCredentials, readOwn, settings, tokensOf } from './settings.ts';

const TITLE = 'Speech to text';

/** A recording becomes its text. */
export const stt: Service = {
  name: 'stt',
  title: TITLE,
  settings,
  missingCredentials,

  configure(env) {
    const own = readOwn(env);
    const tokens = tokensOf(own);
    const token = [...split(own.apiTokens ?? ''), own.apiToken].find((word) => word && !/^sha256:/i.test(word));
    return (shared) => ({
      name: 'stt',
      title: TITLE,
      titles: { en: texts.en.service, ru: texts.ru.service },
      port: own.port,
      publicUrl: own.publicUrl,
      verdicts: { auth: tokens.state, providers: own.providers.join(', then ') },
      gateway: async (house) => (await import('./gateway.ts')).openGateway({ house, own, shared, tokens }),
      work: {
        present,
        // A secret belongs to a task here, and comes with it.
        webhook: { event: 'stt.result.terminal', secretFor: () => undefined, thin: presentThin },
        load: async (house) => (await import('./model.ts')).loadModel({ house, own, shared }),
        maxWaiting: own.maxWaiting,
        startAfterSeconds: { realtime: 0, batch: 0 },
      },
      records: recordingRecords(shared),
      issues: { roles: ['client'] },
      credential: token,
      example: (baseUrl) => example(baseUrl, token),
      pageUrl: (baseUrl) => (token ? `${baseUrl}/#token=${token}` : baseUrl),
    });
  },
};

const NOTE = fileURLToPath(new URL('../../../examples/voice-note.mp3', import.meta.url));

/** Uploads the example voice note, asks for its text and waits for it, with nothing but curl and grep. */
function example(baseUrl: string, token: string | undefined): string {
  const curl = token ? `curl -sS -H 'Authorization: Bearer ${token}'` : 'curl -sS';
  const note = `'@${NOTE.replaceAll("'", `'\\''`)}'`;
  const upload = `${curl} -H 'Content-Type: audio/mpeg' --data-binary ${note} ${baseUrl}/files`;
  const ask = `${curl} -H 'Content-Type: application/json' -d "{\\"url\\":\\"$URL\\"}" ${baseUrl}/transcribe/audio_url`;
  const result = `${curl} -w '\\n' -H 'Prefer: wait=30' "${baseUrl}$RESULT"`;
  return `URL=$(${upload} | grep -o 'https://[^"]*') && RESULT=$(${ask} | grep -o '/result/[^"]*') && ${result}`;
}
