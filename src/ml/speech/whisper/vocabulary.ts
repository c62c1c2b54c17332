import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** What a Whisper's tokens mean, read from the files that come with its weights. */
export interface Vocabulary {
  readonly startOfTranscript: number;
  readonly endOfText: number;
  readonly transcribe: number;
  readonly noTimestamps: number;
  /** "There is no speech here", as the model was taught to say it in place of a language. */
  readonly noSpeech: number;
  /** Token of each language by its ISO 639-1 code. Those without one (Hawaiian, Cantonese) are left out. */
  readonly languages: ReadonlyMap<string, number>;
  /** Tokens that are never chosen, and those that are not chosen first: signs that are no speech, and the special ones. */
  readonly suppressed: readonly number[];
  readonly suppressedFirst: readonly number[];
  /** Layer and head of the attentions that follow the sound word by word. */
  readonly alignmentHeads: readonly (readonly [layer: number, head: number])[];
  /** What the tokens of some text spell. A character may be spread over several, so they are read together. */
  text(tokens: readonly number[]): string;
}

const Generation = Type.Object({
  decoder_start_token_id: Type.Integer(),
  eos_token_id: Type.Integer(),
  no_timestamps_token_id: Type.Integer(),
  lang_to_id: Type.Record(Type.String(), Type.Integer()),
  task_to_id: Type.Object({ transcribe: Type.Integer() }),
  suppress_tokens: Type.Optional(Type.Array(Type.Integer())),
  begin_suppress_tokens: Type.Optional(Type.Array(Type.Integer())),
  alignment_heads: Type.Array(Type.Tuple([Type.Integer(), Type.Integer()])),
});

/** Reads `generation_config.json` and `vocab.json` of the folder; throws when they are not a multilingual Whisper's. */
export async function readVocabulary(folder: string): Promise<Vocabulary> {
  const generation = Value.Parse(Generation, await readJson(join(folder, 'generation_config.json')));
  const spelling = Value.Parse(Type.Record(Type.String(), Type.Integer()), await readJson(join(folder, 'vocab.json')));
  return { ...specials(generation), text: speller(spelling, generation.eos_token_id) };
}

function specials(generation: Static<typeof Generation>): Omit<Vocabulary, 'text'> {
  const languages = new Map<string, number>();
  for (const [name, token] of Object.entries(generation.lang_to_id)) {
    const code = /^<\|([a-z]{2})\|>$/.exec(name)?.[1];
    // Javanese has its code of before 1993 there.
    if (code !== undefined) languages.set(code === 'jw' ? 'jv' : code, token);
  }
  return {
    startOfTranscript: generation.decoder_start_token_id,
    endOfText: generation.eos_token_id,
    transcribe: generation.task_to_id.transcribe,
    noTimestamps: generation.no_timestamps_token_id,
    // Its name differs between exports, its place does not.
    noSpeech: generation.no_timestamps_token_id - 1,
    languages,
    suppressed: generation.suppress_tokens ?? [],
    suppressedFirst: generation.begin_suppress_tokens ?? [],
    alignmentHeads: generation.alignment_heads,
  };
}

/** Tokens are byte strings, written down with a printable character for each byte (GPT-2's byte-level BPE). */
function speller(spelling: Record<string, number>, end: number): (tokens: readonly number[]) => string {
  const bytes: Uint8Array[] = [];
  for (const [text, token] of Object.entries(spelling)) {
    bytes[token] = Uint8Array.from(text, (character) => BYTE_OF.get(character) ?? 63);
  }
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return (tokens) =>
    decoder.decode(Buffer.concat(tokens.flatMap((token) => (token < end ? (bytes[token] ?? []) : []))));
}

const isPrintable = (byte: number) =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);

/** Printable Latin-1 stands for itself; the other bytes, in order, for the characters from 256 on. */
const BYTE_OF: ReadonlyMap<string, number> = (() => {
  const all = Array.from({ length: 256 }, (_, byte) => byte);
  const others = all.filter((byte) => !isPrintable(byte));
  return new Map([
    ...all.filter(isPrintable).map((byte) => [String.fromCharCode(byte), byte] as const),
    ...others.map((byte, i) => [String.fromCharCode(256 + i), byte] as const),
  ]);
})();

const readJson = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));
