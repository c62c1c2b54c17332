import type { GuardedFetch } from '../../../base/guarded-fetch.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import { openRecognizer } from '../../../ml/speech/open-recognizer.ts';
import type { Recognizer } from '../../../ml/speech/recognizer.ts';
import type { Own } from '../settings.ts';
import { openRemote } from './remote.ts';

/**
 * What turns speech into text, in the order of STT_PROVIDERS: `local` is the model STT_MODEL, `remote` the provider at
 * STT_REMOTE_URL. Throws an OperatorError where one cannot be opened; those that were are closed then.
 */
export async function openProviders(
  own: Pick<Own, 'providers' | 'model' | keyof Remote>,
  { dataDir, fetch }: { dataDir: string; fetch: GuardedFetch },
): Promise<Recognizer[]> {
  const opened: Recognizer[] = [];
  try {
    for (const provider of new Set(own.providers)) {
      if (provider === 'local') opened.push(await openRecognizer(own.model, { dataDir }));
      else opened.push(remote(own, fetch));
    }
  } catch (error) {
    await Promise.all(opened.map((recognizer) => recognizer.close()));
    throw error;
  }
  return opened;
}

type Remote = Pick<Own, 'remoteName' | 'remoteUrl' | 'remoteKey' | 'remoteModel'>;

function remote({ remoteName, remoteUrl, remoteKey, remoteModel }: Remote, fetch: GuardedFetch) {
  if (remoteUrl === undefined) throw new OperatorError('STT_REMOTE_URL must be set where STT_PROVIDERS names remote.');
  return openRemote({ name: remoteName, url: remoteUrl, key: remoteKey, model: remoteModel, fetch });
}
