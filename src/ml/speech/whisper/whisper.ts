import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Engine, Utterance } from '../engine.ts';
import type { WhisperFiles } from '../engine-files.ts';
import { hearLanguage, noSpeechProbability } from './decode.ts';
import { HEARD_SECONDS, logMel, SAMPLE_RATE } from './log-mel.ts';
import { openNetwork } from './network.ts';
import { faithful } from './second-thoughts.ts';
import { readVocabulary } from './vocabulary.ts';
import { sentences, wordsOf } from './words.ts';

/** Opens a multilingual Whisper (Radford et al. 2022, arXiv:2212.04356). It hears at most 30 s at a time. */
export async function openWhisper({ folder, encoder, decoder }: WhisperFiles, threads: number): Promise<Engine> {
  const { num_mel_bins: bins } = Value.Parse(Config, JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')));
  const vocabulary = await readVocabulary(folder);
  const { alignmentHeads } = vocabulary;
  const network = await openNetwork(
    { encoder: join(folder, encoder), decoder: join(folder, decoder) },
    { threads, alignmentHeads },
  );

  async function recognize(
    samples: Float32Array,
    { language: asked, throwIfStopped }: Parameters<Engine['recognize']>[1],
  ): Promise<Utterance> {
    const seconds = Math.min(HEARD_SECONDS, samples.length / SAMPLE_RATE);
    const heard = await network.hear(logMel(samples, bins), vocabulary.startOfTranscript);
    throwIfStopped();
    // A language that it never learnt is better guessed than refused.
    const language =
      asked !== undefined && vocabulary.languages.has(asked) ? asked : hearLanguage(heard, vocabulary).language;
    const noSpeech = noSpeechProbability(heard, vocabulary);
    const transcript = await faithful(heard, { vocabulary, language, seconds, noSpeech, throwIfStopped });
    return { language, segments: sentences(wordsOf(transcript, vocabulary, seconds)) };
  }

  return { recognize, close: network.close };
}

const Config = Type.Object({ num_mel_bins: Type.Integer({ minimum: 1, maximum: 512 }) });
