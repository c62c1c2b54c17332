// Transcribes recordings with one model in a process of its own, so that its memory and processor time can be measured and
// a model that ends its process does no harm.
import { createLog } from '../../base/log.ts';
import { killSelf } from '../../base/stop-signal.ts';
import { SAMPLE_RATE } from '../../ml/audio/audio-constants.ts';
import { AudioError, openAudio } from '../../ml/audio/open-audio.ts';
import { cutWindows, openSpeechDetector, type SpeechDetector } from '../../ml/audio/windows.ts';
import { openRecognizer } from '../../ml/speech/open-recognizer.ts';
import { type Recognizer, RecognizerError } from '../../ml/speech/recognizer.ts';
import { transcribe } from '../../services/stt/model/transcribe.ts';
import { AUDIO_MAX_SECONDS } from '../../services/stt/url-policy.ts';
import { TaskFailure } from '../../tasks/task.ts';

export interface MeasureRequest {
  readonly model: string;
  readonly dataDir: string;
  readonly recordings: readonly { readonly path: string; readonly language?: string | undefined }[];
}

export interface Transcribed {
  readonly text: string;
  /** Of the recording. */
  readonly seconds: number;
  readonly elapsedSeconds: number;
  /** Without ffmpeg. */
  readonly cpuSeconds: number;
}

/** One for each recording, then the end; or a failure of the model. */
export type MeasureMessage =
  | { readonly kind: 'transcribed'; readonly result: Transcribed }
  | { readonly kind: 'broken'; readonly reason: string }
  | { readonly kind: 'end'; readonly peakBytes: number }
  | { readonly kind: 'failed'; readonly reason: string };

const log = createLog('silent', 'try');
const { signal } = new AbortController();

const send = (message: MeasureMessage) =>
  new Promise<void>((resolve) => {
    process.send!(message, undefined, undefined, () => resolve());
  });

// The parent ends this process.
process.once('disconnect', killSelf);
process.once('message', (request) => {
  measure(request as MeasureRequest).catch((error: Error) => send({ kind: 'failed', reason: error.message }));
});

async function measure({ model, dataDir, recordings }: MeasureRequest): Promise<void> {
  const recognizer = await openRecognizer(model, { dataDir });
  const detector = await openSpeechDetector();
  for (const { path, language } of recordings) {
    try {
      await send({ kind: 'transcribed', result: await transcribeFile(path, language, { recognizer, detector }) });
    } catch (error) {
      if (!(error instanceof AudioError || error instanceof TaskFailure)) throw error;
      await send({
        kind: 'broken',
        reason: error.cause instanceof RecognizerError ? error.cause.message : error.message,
      });
    }
  }
  await send({ kind: 'end', peakBytes: process.resourceUsage().maxRSS * 1024 });
}

async function transcribeFile(
  path: string,
  language: string | undefined,
  { recognizer, detector }: { recognizer: Recognizer; detector: SpeechDetector },
): Promise<Transcribed> {
  const startMs = performance.now();
  const startUsage = process.cpuUsage();
  const audio = await openAudio(path, { signal, maxSeconds: AUDIO_MAX_SECONDS });
  let samples = 0;
  async function* counted() {
    for await (const piece of audio.pieces({ signal })) {
      samples += piece.length;
      yield piece;
    }
  }
  const { segments } = await transcribe({
    recognizers: [recognizer],
    windows: (limits) => cutWindows(counted(), { ...limits, detector, signal }),
    request: { language },
    checkpoint: undefined,
    report() {},
    log,
    signal,
  });
  const { user, system } = process.cpuUsage(startUsage);
  return {
    text: segments.map(({ text }) => text).join(' '),
    seconds: samples / SAMPLE_RATE,
    elapsedSeconds: (performance.now() - startMs) / 1000,
    cpuSeconds: (user + system) / 1e6,
  };
}
