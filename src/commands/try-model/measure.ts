import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../../base/operator-error.ts';
import { workerEntry } from '../../base/worker-entry.ts';
import { countWordErrors, type WordErrors } from '../../ml/speech/word-errors/word-errors.ts';
import type { MeasureMessage, MeasureRequest, Transcribed } from './measure-process.ts';
import type { Recording } from './recordings.ts';

export interface Measurement {
  readonly model: string;
  readonly results: readonly MeasuredRecording[];
  readonly peakBytes: number;
}

export type MeasuredRecording = { readonly recording: Recording } & (
  | (Transcribed & WordErrors)
  | { readonly broken: string }
);

interface MeasureOptions {
  readonly dataDir: string;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number) => void;
}

/** Transcribes the recordings. Throws an OperatorError if the model cannot be opened or ends its process. */
export async function measureModel(
  model: string,
  recordings: readonly Recording[],
  { dataDir, signal, onProgress }: MeasureOptions,
): Promise<Measurement> {
  if (signal.aborted) throw new OperatorError('Stopped.');
  const { file, execArgv } = workerEntry('./measure-process', import.meta.url);
  const child = fork(fileURLToPath(file), {
    execArgv: [...execArgv],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, by) => resolve(by ?? `code ${code}`));
    child.once('error', (error) => child.pid === undefined && resolve(error.message));
  });
  let complaint = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-MAX_COMPLAINT);
  });
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop);
  const results: MeasuredRecording[] = [];
  try {
    const ended = new Promise<number>((resolve, reject) => {
      child.on('message', (message: MeasureMessage) => {
        if (message.kind === 'failed') return reject(new OperatorError(`${model}: ${message.reason}`));
        if (message.kind === 'end') return resolve(message.peakBytes);
        const recording = recordings[results.length]!;
        if (message.kind === 'broken') results.push({ recording, broken: message.reason });
        else {
          const { result } = message;
          results.push({ recording, ...result, ...countWordErrors(recording.reference, result.text) });
        }
        onProgress(results.length);
      });
      void exited.then((how) => reject(new OperatorError(endedMessage(model, how, complaint))));
    });
    const request: MeasureRequest = {
      ...{ model, dataDir },
      recordings: recordings.map(({ path, language }) => ({ path, language })),
    };
    child.send(request);
    return { model, results, peakBytes: await ended };
  } catch (error) {
    if (signal.aborted) throw new OperatorError('Stopped.');
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
    await exited;
  }
}

const MAX_COMPLAINT = 2000;

function endedMessage(model: string, how: string, complaint: string): string {
  const last = complaint.trim().split('\n').at(-1);
  return `${model}: the process with the model ended (${how})${last ? `: ${last}` : '.'}`;
}
