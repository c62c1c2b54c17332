import sherpa, { type OfflineConfig, type OfflineResult } from 'sherpa-onnx-node';
import { SAMPLE_RATE } from '../../audio/audio-constants.ts';
import type { Engine, SherpaFiles } from '../engine.ts';
import type { Segment, Word } from '../recognizer.ts';
import { splitSentences, splitSentencesByLength } from '../sentences.ts';

/** Opens a sherpa-onnx model. The library exits the process on invalid files, so they must be verified first. */
export async function openSherpa(files: SherpaFiles, threads: number): Promise<Engine> {
  const recognizer = new sherpa.OfflineRecognizer(configOf(files, threads));
  return {
    async recognize(samples, { throwIfStopped }) {
      throwIfStopped();
      const stream = recognizer.createStream();
      stream.acceptWaveform({ samples, sampleRate: SAMPLE_RATE });
      recognizer.decode(stream);
      const segments = segmentsOf(recognizer.getResult(stream), samples.length / SAMPLE_RATE);
      const { language } = files;
      return language === undefined ? segments : segments.map((segment) => ({ ...segment, language }));
    },
    async close() {},
  };
}

const configOf = ({ tokens, modelType, model }: SherpaFiles, threads: number): OfflineConfig => ({
  modelConfig: { tokens, modelType, numThreads: threads, provider: 'cpu', debug: 0, ...model },
});

export function segmentsOf(result: OfflineResult, seconds: number): Segment[] {
  const { text, tokens, timestamps } = result;
  const isTimed = tokens.length > 0 && timestamps.length === tokens.length;
  return isTimed ? splitSentences(wordsOf(result, seconds)) : splitSentencesByLength(text, seconds);
}

/** Maximum token duration if the model provides only start times. */
const MAX_TOKEN_SECONDS = 0.4;

function wordsOf({ tokens, timestamps, durations, ys_log_probs }: OfflineResult, seconds: number): Word[] {
  const words: { text: string; start: number; end: number; logProbabilities: number[] }[] = [];
  for (const [i, token] of tokens.entries()) {
    const spelt = token.replaceAll('▁', ' ');
    const start = timestamps[i]!;
    const next = Math.min(timestamps[i + 1] ?? seconds, start + MAX_TOKEN_SECONDS);
    const end = Math.max(start, Math.min(seconds, durations.length === tokens.length ? start + durations[i]! : next));
    const logProbabilities = ys_log_probs.length === tokens.length ? [ys_log_probs[i]!] : [];
    const last = words.at(-1);
    if (!last || spelt.startsWith(' ')) words.push({ text: spelt, start, end, logProbabilities });
    else {
      last.text += spelt;
      if (/[\p{L}\p{N}]/u.test(spelt)) last.end = end;
      last.logProbabilities.push(...logProbabilities);
    }
  }
  return words
    .map(({ text, start, end, logProbabilities }) => ({
      text: text.trim(),
      start,
      end,
      ...(logProbabilities.length > 0 && {
        confidence: Math.exp(logProbabilities.reduce((a, b) => a + b) / logProbabilities.length),
      }),
    }))
    .filter(({ text }) => text !== '');
}
