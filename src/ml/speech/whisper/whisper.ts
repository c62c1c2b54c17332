import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Engine, UtteredSegment } from '../engine.ts';
import type { WhisperFiles } from '../engine-files.ts';
import { sentences } from '../sentences.ts';
import { hearLanguage, noSpeechProbability } from './decode.ts';
import { isInvented } from './invented.ts';
import { HEARD_SECONDS, logMel, SAMPLE_RATE } from './log-mel.ts';
import { openNetwork } from './network.ts';
import { FRAME_SECONDS, quiet } from './quiet.ts';
import { faithful } from './second-thoughts.ts';
import { readVocabulary } from './vocabulary.ts';
import { wordsOf } from './words.ts';

/** Opens a multilingual Whisper (Radford et al. 2022, arXiv:2212.04356). It hears at most 30 s at a time. */
export async function openWhisper({ folder, encoder, decoder }: WhisperFiles, threads: number): Promise<Engine> {
  const { num_mel_bins: bins } = Value.Parse(Config, JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')));
  const vocabulary = await readVocabulary(folder);
  const { alignmentHeads } = vocabulary;
  const network = await openNetwork(
    { encoder: join(folder, encoder), decoder: join(folder, decoder) },
    { threads, alignmentHeads },
  );

  /** What is said from the beginning of `samples` on, up to where the model thinks that it ends. */
  async function hear(
    samples: Float32Array,
    { language: asked, throwIfStopped }: Parameters<Engine['recognize']>[1],
  ): Promise<UtteredSegment[]> {
    const heard = await network.hear(logMel(samples, bins), vocabulary.startOfTranscript);
    throwIfStopped();
    // A language that it never learnt is better guessed than refused.
    const isKnown = asked !== undefined && vocabulary.languages.has(asked);
    const { language, probability } = isKnown ? { language: asked, probability: 1 } : hearLanguage(heard, vocabulary);
    const noSpeech = noSpeechProbability(heard, vocabulary);
    const seconds = samples.length / SAMPLE_RATE;
    const transcript = await faithful(heard, { vocabulary, language, probability, seconds, noSpeech, throwIfStopped });
    const segments = sentences(wordsOf(transcript, vocabulary, samples));
    return segments.filter(({ text }) => !isInvented(text, noSpeech)).map((segment) => ({ ...segment, language }));
  }

  async function recognize(window: Float32Array, options: Parameters<Engine['recognize']>[1]) {
    const samples = window.subarray(0, HEARD_SECONDS * SAMPLE_RATE);
    const isQuiet = quiet(samples);
    const all: UtteredSegment[] = [];
    for (let from = 0, tries = 0; tries < MOST_TRIES; tries++) {
      const segments = await hear(samples.subarray(from * SAMPLE_RATE), options);
      all.push(...segments.map((segment) => later(segment, from)));
      const end = all.at(-1)?.end;
      // Where no time has passed, the same would be heard again.
      if (segments.length === 0 || end === undefined || end <= from || !isLeft(samples, end, isQuiet)) break;
      from = end;
    }
    return all;
  }

  return { recognize, close: network.close };
}

/** Now and then the model stops at a pause or where the language changes; what it left is heard by itself, so often. */
const MOST_TRIES = 4;
const LEFT_SECONDS = 1.5;

/** Whether so much sound is left after `end` that a sentence may be in it. */
function isLeft(samples: Float32Array, end: number, isQuiet: (frame: number) => boolean): boolean {
  const frames = Math.ceil(samples.length / SAMPLE_RATE / FRAME_SECONDS);
  let loud = 0;
  for (let frame = Math.ceil(end / FRAME_SECONDS); frame < frames; frame++) if (!isQuiet(frame)) loud++;
  return loud * FRAME_SECONDS > LEFT_SECONDS;
}

function later(segment: UtteredSegment, seconds: number): UtteredSegment {
  const move = <T extends { start: number; end: number }>(it: T): T => ({
    ...it,
    start: it.start + seconds,
    end: it.end + seconds,
  });
  return move({ ...segment, ...(segment.words && { words: segment.words.map(move) }) });
}

const Config = Type.Object({ num_mel_bins: Type.Integer({ minimum: 1, maximum: 512 }) });
