import { Compile } from 'typebox/compile';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { step } from '../../base/trace.ts';
import { AudioError, type AudioProblem, openAudio } from '../../ml/audio/open-audio.ts';
import { cutWindows, openSpeechDetector } from '../../ml/audio/windows.ts';
import type { Recognizer } from '../../ml/speech/recognizer.ts';
import { type Failure, TaskFailure } from '../../tasks/task.ts';
import type { Job, Model, ModelContext, SharedSettings } from '../shared/service.ts';
import { Transcription } from './api-schema.ts';
import { FAILURES } from './failures.ts';
import { openRecognizers } from './model/providers.ts';
import { fetchRecording } from './model/recording.ts';
import { createScratch } from './model/scratch.ts';
import { type Checkpoint, transcribe } from './model/transcribe.ts';
import { toTranscription } from './model/transcription.ts';
import type { Recorded, TranscribeInput, WorkerInfo } from './result.ts';
import type { SttSettings } from './settings.ts';
import { AUDIO_MAX_SECONDS, audioPolicy } from './url-policy.ts';

/**
 * Loads the recognizers. A worker runs one task at a time, so other workers can take tasks while it processes a long
 * recording.
 */
export async function loadModel(deps: {
  context: Pick<ModelContext, 'fetch' | 'files' | 'scratchDir'>;
  serviceSettings: SttSettings;
  shared: SharedSettings;
  recognizers?: readonly Recognizer[];
}): Promise<Model> {
  const { serviceSettings, shared } = deps;
  const { fetch, files, scratchDir } = deps.context;
  const scratch = await createScratch(scratchDir);
  const detector = await openSpeechDetector();
  const opened = deps.recognizers ?? openRecognizers(serviceSettings, { dataDir: shared.dataDir, fetch });
  const recognizers = await Promise.resolve(opened).catch(async (error: unknown) => {
    // A running worker thread would keep the process alive.
    await detector.close();
    throw error;
  });
  const source = { fetch, files, policy: audioPolicy(serviceSettings, shared), filesHost: shared.filesHost };
  const info: WorkerInfo = {
    model: recognizers[0]!.model,
    providers: recognizers.map(({ name, model }) => ({ name, model })),
  };

  const transcribeFile = async (path: string, { input, checkpoint, report, log, signal }: Job): Promise<Recorded> => {
    const audio = await openAudio(path, { signal, maxSeconds: AUDIO_MAX_SECONDS });
    const { durationSeconds } = audio;
    const transcribed = await transcribe({
      recognizers,
      windows: (limits, fromSeconds) =>
        cutWindows(audio.pieces({ fromSeconds, signal }), { ...limits, detector, fromSeconds, signal }),
      request: input as unknown as TranscribeInput,
      checkpoint: checkpoint as unknown as Checkpoint | undefined,
      report: (progress) => report(progressOf(progress.until, durationSeconds), progress as unknown as JsonObject),
      log,
      signal,
    });
    return toTranscription({ ...transcribed, durationSeconds: effectiveDuration(durationSeconds, transcribed.until) });
  };

  return {
    info: () => info as unknown as JsonObject,
    versions: () => [],
    concurrency: 1,
    // Each window has its own limit; the task's deadline is earlier than this one.
    timeLimitMs: 24 * 3_600_000,

    async run(job) {
      try {
        const recorded = await scratch.with(async (path) => {
          const { url } = job.input as unknown as TranscribeInput;
          await step('download', () => fetchRecording(url, path, source, job.signal));
          return step('transcribe', () => transcribeFile(path, job));
        });
        assertValid(recorded);
        return { result: recorded as unknown as JsonValue };
      } catch (error) {
        job.signal.throwIfAborted();
        const taskFailure = toTaskFailure(error);
        if (taskFailure) throw taskFailure;
        job.log.error({ err: error }, 'transcription failed for an unknown reason');
        throw new TaskFailure(FAILURES.providerFailed, { transient: true, cause: error });
      }
    },

    async close() {
      await Promise.all([detector.close(), ...recognizers.map((recognizer) => recognizer.close())]);
    },
  };
}

/** The declared duration, unless the audio differs by more than a decoder's padding: it may be an estimate. */
const effectiveDuration = (declared: number | undefined, until: number): number =>
  declared !== undefined && Math.abs(until - declared) < 1 ? declared : until;

/** The transcribed share; undefined if the container declares no duration. Containers may declare too little. */
const progressOf = (until: number, durationSeconds: number | undefined): number | undefined =>
  durationSeconds ? Math.min(0.99, until / durationSeconds) : undefined;

function toTaskFailure(error: unknown): TaskFailure | undefined {
  if (error instanceof TaskFailure) return error;
  return error instanceof AudioError ? new TaskFailure(FAILURE_BY_PROBLEM[error.problem], { cause: error }) : undefined;
}

const FAILURE_BY_PROBLEM: Record<AudioProblem, Failure> = {
  unsupported: FAILURES.unsupported,
  corrupt: FAILURES.corrupt,
  too_long: FAILURES.tooLong,
  no_sound: FAILURES.noSound,
  protected: FAILURES.protected,
};

const isTranscription = Compile(Transcription);

function assertValid(recorded: Recorded): void {
  if (isTranscription.Check(recorded)) return;
  // The error path without the text, for the log.
  const [first] = isTranscription.Errors(recorded);
  throw new Error(`Invalid transcription: ${first?.instancePath} ${first?.message}`);
}
