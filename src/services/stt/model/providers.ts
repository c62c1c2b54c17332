import type { GuardedFetch } from '../../../base/guarded-fetch.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import { openRecognizer } from '../../../ml/speech/open-recognizer.ts';
import type { Recognizer } from '../../../ml/speech/recognizer.ts';
import type { SttSettings } from '../settings.ts';
import { createRemoteRecognizer } from './remote.ts';

/**
 * The recognizers in the order of STT_PROVIDERS: `local` is the model STT_MODEL, `remote` the provider at
 * STT_REMOTE_URL. Throws an OperatorError, and closes opened recognizers, if one cannot be opened.
 */
export async function openRecognizers(
  serviceSettings: Pick<SttSettings, 'providers' | 'model' | keyof Remote>,
  { dataDir, fetch }: { dataDir: string; fetch: GuardedFetch },
): Promise<Recognizer[]> {
  const opened: Recognizer[] = [];
  try {
    for (const provider of new Set(serviceSettings.providers)) {
      if (provider === 'local') opened.push(await openRecognizer(serviceSettings.model, { dataDir }));
      else opened.push(openConfiguredRemote(serviceSettings, fetch));
    }
  } catch (error) {
    await Promise.all(opened.map((recognizer) => recognizer.close()));
    throw error;
  }
  return opened;
}

type Remote = Pick<SttSettings, 'remoteName' | 'remoteUrl' | 'remoteKey' | 'remoteModel'>;

function openConfiguredRemote({ remoteName, remoteUrl, remoteKey, remoteModel }: Remote, fetch: GuardedFetch) {
  if (remoteUrl === undefined) throw new OperatorError('STT_REMOTE_URL must be set if STT_PROVIDERS contains remote.');
  return createRemoteRecognizer({ name: remoteName, url: remoteUrl, key: remoteKey, model: remoteModel, fetch });
}
