import sherpa, { type OfflineConfig, type OfflineResult } from 'sherpa-onnx-node';
import type { Engine, UtteredSegment, UtteredWord } from '../engine.ts';
import type { SherpaFiles } from '../engine-files.ts';
import { sentences, sentencesByLength } from '../sentences.ts';

const SAMPLE_RATE = 16_000;

/**
 * Opens a model that sherpa-onnx knows. Its library ends the whole process where a file is not what it should be, so the
 * files must have been checked. `language` is what the model speaks if that is one language.
 */
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

function configOf(files: SherpaFiles, threads: number): OfflineConfig {
  const common = { tokens: files.tokens, numThreads: threads, provider: 'cpu', debug: 0 } as const;
  switch (files.kind) {
    case 'moonshine': {
      const { encoder, mergedDecoder } = files;
      return { modelConfig: { ...common, moonshine: { encoder, mergedDecoder } } };
    }
    case 'transducer': {
      const { encoder, decoder, joiner } = files;
      // Said, so that the library need not open the encoder a second time to find out.
      return { modelConfig: { ...common, transducer: { encoder, decoder, joiner }, modelType: 'nemo_transducer' } };
    }
  }
}

/** Sentences with word times, where the model tells when its tokens began; else guessed by their length. */
export function segmentsOf(result: OfflineResult, seconds: number): UtteredSegment[] {
  const { text, tokens, timestamps } = result;
  const isTimed = tokens.length > 0 && timestamps.length === tokens.length;
  return isTimed ? sentences(wordsOf(result, seconds)) : sentencesByLength(text, seconds);
}

/** How long a last token is taken to sound where the model tells beginnings only. */
const LONGEST_TOKEN_SECONDS = 0.4;

function wordsOf({ tokens, timestamps, durations, ys_log_probs }: OfflineResult, seconds: number): UtteredWord[] {
  const words: { text: string; start: number; end: number; sure: number[] }[] = [];
  for (const [i, token] of tokens.entries()) {
    const spelt = token.replaceAll('▁', ' ');
    const start = timestamps[i]!;
    const next = Math.min(timestamps[i + 1] ?? seconds, start + LONGEST_TOKEN_SECONDS);
    const end = Math.max(start, Math.min(seconds, durations.length === tokens.length ? start + durations[i]! : next));
    const sure = ys_log_probs.length === tokens.length ? [ys_log_probs[i]!] : [];
    const last = words.at(-1);
    if (!last || spelt.startsWith(' ')) words.push({ text: spelt, start, end, sure });
    else {
      last.text += spelt;
      // A mark after a word makes no sound.
      if (/[\p{L}\p{N}]/u.test(spelt)) last.end = end;
      last.sure.push(...sure);
    }
  }
  return words
    .map(({ text, start, end, sure }) => ({
      text: text.trim(),
      start,
      end,
      ...(sure.length > 0 && { confidence: Math.exp(sure.reduce((a, b) => a + b) / sure.length) }),
    }))
    .filter(({ text }) => text !== '');
}
