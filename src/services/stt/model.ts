import { Compile } from 'typebox/compile';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { step } from '../../base/trace.ts';
import { type AudioProblem, AudioRefused, openAudio } from '../../ml/audio/open-audio.ts';
import { cutWindows, openSpeechDetector } from '../../ml/audio/windows.ts';
import type { Recognizer } from '../../ml/speech/recognizer.ts';
import { type Failure, TaskFailure } from '../../tasks/task.ts';
import type { Job, Model, ModelHouse, SharedSettings } from '../service.ts';
import { AUDIO_MAX_SECONDS, audioPolicy } from './audio-policy.ts';
import { FAILURES } from './failures.ts';
import { openProviders } from './model/model-providers.ts';
import { fetchRecording } from './model/recording.ts';
import { openScratch } from './model/scratch.ts';
import { transcribe } from './model/transcribe.ts';
import { transcriptionOf } from './model/transcription.ts';
import type { WorkerInfo } from './model-info.ts';
import type { Checkpoint, Recorded, TranscribeInput } from './result.ts';
import { Transcription } from './schema.ts';
import type { Own } from './settings.ts';

/** What hears recordings: one at a time, so that a second worker finds work while this one has a long one. */
export async function loadModel({
  house,
  own,
  shared,
  recognizers: given,
}: {
  house: Pick<ModelHouse, 'fetch' | 'files' | 'scratchDir'>;
  own: Own;
  shared: SharedSettings;
  /** In place of those that the settings name. */
  recognizers?: readonly Recognizer[];
}): Promise<Model> {
  const { fetch, files, scratchDir } = house;
  const scratch = await openScratch(scratchDir);
  const detector = await openSpeechDetector();
  const opened = given ?? openProviders(own, { dataDir: shared.dataDir, fetch });
  const recognizers = await Promise.resolve(opened).catch(async (error: unknown) => {
    // A thread that nobody ends keeps its process alive, to do nothing.
    await detector.close();
    throw error;
  });
  const source = { fetch, files, policy: audioPolicy(own, shared), filesHost: shared.filesHost };
  const info: WorkerInfo = {
    model: recognizers[0]!.model,
    providers: recognizers.map(({ name, model }) => ({ name, model })),
  };

  const hear = async (path: string, { input, checkpoint, report, log, signal }: Job): Promise<Recorded> => {
    const audio = await openAudio(path, { signal, maxSeconds: AUDIO_MAX_SECONDS });
    const { durationSeconds } = audio;
    const heard = await transcribe({
      recognizers,
      windows: (maxSeconds, fromSeconds) =>
        cutWindows(audio.pieces({ fromSeconds, signal }), { detector, maxSeconds, fromSeconds, signal }),
      language: (input as unknown as TranscribeInput).language,
      checkpoint: checkpoint as unknown as Checkpoint | undefined,
      report: (now) => report(share(now.until, durationSeconds), now as unknown as JsonObject),
      log,
      signal,
    });
    return transcriptionOf({ ...heard, durationSeconds: lasted(durationSeconds, heard.until) });
  };

  return {
    info: () => info as unknown as JsonObject,
    versions: () => [],
    concurrency: 1,
    // Each window has its own limit; of a whole recording the task's deadline is the limit, which comes before this one.
    timeLimitMs: 24 * 3_600_000,

    async run(job) {
      try {
        const recorded = await scratch.with(async (path) => {
          const { url } = job.input as unknown as TranscribeInput;
          await step('download', () => fetchRecording(url, path, source, job.signal));
          return step('transcribe', () => hear(path, job));
        });
        check(recorded);
        return { result: recorded as unknown as JsonValue };
      } catch (error) {
        job.signal.throwIfAborted();
        const explained = explain(error);
        if (explained) throw explained;
        job.log.error({ err: error }, 'a recording could not be heard, and nothing explains why');
        throw new TaskFailure(FAILURES.providerFailed, { transient: true, cause: error });
      }
    },

    async close() {
      await Promise.all([detector.close(), ...recognizers.map((recognizer) => recognizer.close())]);
    },
  };
}

/** What the container says, unless there was more: a decoder's last frame is no more, another recording behind it is. */
const lasted = (declared: number | undefined, until: number): number =>
  declared !== undefined && until < declared + 1 ? declared : until;

/** How much was heard; nothing where the recording does not tell its length. A container may promise less than it has. */
const share = (until: number, durationSeconds: number | undefined): number | undefined =>
  durationSeconds ? Math.min(0.99, until / durationSeconds) : undefined;

function explain(error: unknown): TaskFailure | undefined {
  if (error instanceof TaskFailure) return error;
  return error instanceof AudioRefused ? new TaskFailure(REFUSED[error.problem], { cause: error }) : undefined;
}

const REFUSED: Record<AudioProblem, Failure> = {
  unsupported: FAILURES.unsupported,
  corrupt: FAILURES.corrupt,
  too_long: FAILURES.tooLong,
  no_sound: FAILURES.noSound,
  protected: FAILURES.protected,
};

const isTranscription = Compile(Transcription);

/** The last look before it is written down. */
function check(recorded: Recorded): void {
  if (isTranscription.Check(recorded)) return;
  // Where it is wrong, and not what was said: this goes to the log.
  const [first] = isTranscription.Errors(recorded);
  throw new Error(`No valid transcription: ${first?.instancePath} ${first?.message}`);
}
