import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { createTokenDecoder, createTokenEncoder } from './byte-pair-encoding.ts';

export interface Vocabulary {
  readonly startOfTranscript: number;
  readonly endOfText: number;
  readonly transcribe: number;
  readonly translate: number;
  readonly noTimestamps: number;
  readonly noSpeech: number;
  /** Language tokens by ISO 639-1 code; languages without one (Hawaiian, Cantonese) are omitted. */
  readonly languages: ReadonlyMap<string, number>;
  /** Tokens that are masked always, and at the first position: non-speech symbols and special tokens. */
  readonly suppressed: readonly number[];
  readonly suppressedFirst: readonly number[];
  readonly alignmentHeads: readonly (readonly [layer: number, head: number])[];
  /** Decodes tokens. A character may span several, so pass them together. */
  text(tokens: readonly number[]): string;
  /** Encodes a text. A word in a text begins with its space. */
  encode(text: string): readonly number[];
}

const Generation = Type.Object({
  decoder_start_token_id: Type.Integer(),
  eos_token_id: Type.Integer(),
  no_timestamps_token_id: Type.Integer(),
  lang_to_id: Type.Record(Type.String(), Type.Integer()),
  task_to_id: Type.Object({ transcribe: Type.Integer(), translate: Type.Integer() }),
  suppress_tokens: Type.Optional(Type.Array(Type.Integer())),
  begin_suppress_tokens: Type.Optional(Type.Array(Type.Integer())),
  alignment_heads: Type.Array(Type.Tuple([Type.Integer(), Type.Integer()])),
});

/** Reads `generation_config.json` and `vocab.json`; throws if they do not belong to a multilingual Whisper. */
export async function readVocabulary(folder: string): Promise<Vocabulary> {
  const generation = Value.Parse(Generation, await readJson(join(folder, 'generation_config.json')));
  const tokenByText = await readJson(join(folder, 'vocab.json'));
  if (!isTokenByText(tokenByText)) throw new Error(`${folder}/vocab.json is not a vocabulary.`);
  return {
    ...specials(generation),
    text: createTokenDecoder(tokenByText, generation.eos_token_id),
    encode: createTokenEncoder(tokenByText),
  };
}

function specials(generation: Static<typeof Generation>): Omit<Vocabulary, 'text' | 'encode'> {
  const languages = new Map<string, number>();
  for (const [name, token] of Object.entries(generation.lang_to_id)) {
    const code = /^<\|([a-z]{2})\|>$/.exec(name)?.[1];
    // Whisper uses the former code of Javanese.
    if (code !== undefined) languages.set(code === 'jw' ? 'jv' : code, token);
  }
  return {
    startOfTranscript: generation.decoder_start_token_id,
    endOfText: generation.eos_token_id,
    transcribe: generation.task_to_id.transcribe,
    translate: generation.task_to_id.translate,
    noTimestamps: generation.no_timestamps_token_id,
    // The name differs between exports, the position does not.
    noSpeech: generation.no_timestamps_token_id - 1,
    languages,
    suppressed: generation.suppress_tokens ?? [],
    suppressedFirst: generation.begin_suppress_tokens ?? [],
    alignmentHeads: generation.alignment_heads,
  };
}

/** A schema would take ten times as long for 50 000 tokens. */
const isTokenByText = (json: unknown): json is Record<string, number> =>
  typeof json === 'object' && json !== null && Object.values(json).every(Number.isInteger);

const readJson = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));
