import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { SAMPLE_RATE } from '../../audio/audio-constants.ts';
import type { Engine, EngineOptions, WhisperFiles } from '../engine.ts';
import type { Segment } from '../recognizer.ts';
import { splitSentences } from '../sentences.ts';
import { detectLanguage, noSpeechProbability } from './decode.ts';
import { isHallucination } from './hallucination-filter.ts';
import { WINDOW_SECONDS } from './log-mel.ts';
import { type DecoderState, openNetwork } from './network.ts';
import { preferTerms } from './prefer-terms.ts';
import { detectQuietFrames } from './silence.ts';
import { transcribeWithFallback } from './temperature-fallback.ts';
import { createTermFinder, type TermFinder } from './term-candidates.ts';
import { findUncoveredSpeech } from './uncovered-speech.ts';
import { readVocabulary } from './vocabulary.ts';
import { timedWords } from './word-timestamps.ts';

/** Opens a multilingual Whisper (Radford et al. 2022, arXiv:2212.04356) with windows of at most 30 s. */
export async function openWhisper({ folder, encoder, decoder }: WhisperFiles, threads: number): Promise<Engine> {
  const config = Value.Parse(Config, JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')));
  const { num_mel_bins: bins, encoder_attention_heads: encoderHeads, decoder_attention_heads: decoderHeads } = config;
  const vocabulary = await readVocabulary(folder);
  const { alignmentHeads } = vocabulary;
  const network = await openNetwork(
    { encoder: join(folder, encoder), decoder: join(folder, decoder) },
    { threads, bins, encoderHeads, decoderHeads, alignmentHeads },
  );

  const finderOf = rememberLast(createTermFinder);

  async function transcribeOnce(samples: Float32Array, options: EngineOptions): Promise<Segment[]> {
    const { state, release } = await network.start(samples, vocabulary.startOfTranscript);
    try {
      options.throwIfStopped();
      return await decode(state, samples, options);
    } finally {
      await release();
    }
  }

  async function decode(
    state: DecoderState,
    samples: Float32Array,
    { language: requested, translate, terms, throwIfStopped }: EngineOptions,
  ): Promise<Segment[]> {
    // Falls back to detection for a language that the model does not know.
    const isKnown = requested !== undefined && vocabulary.languages.has(requested);
    const { language, probability } = isKnown
      ? { language: requested, probability: 1 }
      : detectLanguage(state, vocabulary);
    const noSpeech = noSpeechProbability(state, vocabulary);
    const seconds = samples.length / SAMPLE_RATE;
    // The terms are not English.
    const finder = terms && !translate ? finderOf(terms) : undefined;
    const text = await transcribeWithFallback(state, {
      vocabulary,
      language,
      task: translate ? vocabulary.translate : vocabulary.transcribe,
      keepLogits: finder !== undefined,
      probability,
      seconds,
      noSpeech,
      throwIfStopped,
    });
    if (!text) return [{ start: 0, end: seconds, text: '' }];
    const transcript = finder ? await preferTerms(text, { finder, vocabulary, throwIfStopped }) : text;
    const segments = splitSentences(timedWords(transcript, vocabulary, samples));
    return segments
      .filter(({ text }) => !isHallucination(text, noSpeech))
      .map((segment) => ({ ...segment, language: translate ? 'en' : language }));
  }

  async function recognize(window: Float32Array, options: EngineOptions) {
    const samples = window.subarray(0, WINDOW_SECONDS * SAMPLE_RATE);
    const isQuiet = detectQuietFrames(samples);
    const segments: Segment[] = [];
    const spans = [{ from: 0, to: samples.length / SAMPLE_RATE }];
    for (let passes = 0; passes < MAX_PASSES; passes++) {
      const span = spans.shift();
      if (!span) break;
      const part = samples.subarray(Math.round(span.from * SAMPLE_RATE), Math.round(span.to * SAMPLE_RATE));
      const found = (await transcribeOnce(part, options)).map((segment) => shiftSegment(segment, span.from));
      segments.push(...found);
      if (found.length > 0) spans.push(...findUncoveredSpeech(found, span, isQuiet));
    }
    // A part of the window may be noise.
    const recognized = segments.filter(({ text }) => text !== '');
    return (recognized.length > 0 ? recognized : segments).toSorted((a, b) => a.start - b.start);
  }

  return { recognize, close: network.close };
}

/** All windows of a recording have the same terms. */
function rememberLast(create: (terms: readonly string[]) => TermFinder) {
  let last: { key: string; finder: TermFinder } | undefined;
  return (terms: readonly string[]): TermFinder | undefined => {
    if (terms.length === 0) return undefined;
    const key = terms.join('\n');
    if (last?.key !== key) last = { key, finder: create(terms) };
    return last.finder;
  };
}

/** Of a window: the whole window, and up to three parts without text. */
const MAX_PASSES = 4;

function shiftSegment(segment: Segment, seconds: number): Segment {
  const shift = <T extends { start: number; end: number }>(it: T): T => ({
    ...it,
    start: it.start + seconds,
    end: it.end + seconds,
  });
  return shift({ ...segment, ...(segment.words && { words: segment.words.map(shift) }) });
}

const Config = Type.Object({
  num_mel_bins: Type.Integer({ minimum: 1, maximum: 512 }),
  encoder_attention_heads: Type.Integer({ minimum: 1, maximum: 64 }),
  decoder_attention_heads: Type.Integer({ minimum: 1, maximum: 64 }),
});
