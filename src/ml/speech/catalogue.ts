import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Path = Type.String({ pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*$' });

/** `models/stt/NAME/manifest.json`: what a model is, where its files come from, and which bytes they must be. */
export const SpeechManifest = Type.Object({
  name: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{0,63}$' }),
  /** For people. */
  title: Type.String(),
  licence: Type.String(),
  /** ISO 639-1 codes of what it understands; absent where it understands about a hundred. */
  languages: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z]{2}$' }))),
  /** The longest window that it takes. */
  windowSeconds: Type.Number({ minimum: 1, maximum: 600 }),
  /** What runs it; names are of `files`. */
  engine: Type.Union([
    Type.Object({ runs: Type.Literal('whisper'), encoder: Path, decoder: Path }),
    Type.Object({
      runs: Type.Literal('sherpa'),
      kind: Type.Literal('moonshine'),
      encoder: Path,
      mergedDecoder: Path,
      /** Its tokens come with no weights: they are written down from a vocabulary in another package. */
      tokens: Type.Object({ package: Type.String(), sha256: Sha256 }),
    }),
    Type.Object({
      runs: Type.Literal('sherpa'),
      kind: Type.Literal('transducer'),
      encoder: Path,
      decoder: Path,
      joiner: Path,
      tokens: Path,
    }),
  ]),
  /** The npm package that holds the files, and where in it. It need not be installed; `version` is the one to install. */
  package: Type.Optional(Type.Object({ name: Type.String(), version: Type.Optional(Type.String()), folder: Path })),
  /** Where `assay models pull` finds the files: this and their names. Ends in a slash. */
  url: Type.Optional(Type.String({ pattern: '^https://.*/$' })),
  /** A file without a hash is one whose bytes the makers of this list have not seen: the first pull notes its hash. */
  files: Type.Record(
    Path,
    Type.Object({ sha256: Type.Optional(Sha256), bytes: Type.Optional(Type.Integer({ minimum: 0 })) }),
  ),
});
export type SpeechManifest = Static<typeof SpeechManifest>;

const SHIPPED = fileURLToPath(new URL('../../../models/stt/', import.meta.url));

/** Every model that has a name, in the order of their names. */
export function speechModels(): SpeechManifest[] {
  return readdirSync(SHIPPED).sort().map(shipped);
}

/** The manifest of this name; undefined where there is none. */
export function speechModel(name: string): SpeechManifest | undefined {
  return readdirSync(SHIPPED).includes(name) ? shipped(name) : undefined;
}

const shipped = (name: string) => parseSpeechManifest(readFileSync(join(SHIPPED, name, 'manifest.json'), 'utf8'));

/** Throws with a sentence that says what is wrong with it. */
export function parseSpeechManifest(text: string): SpeechManifest {
  const value: unknown = JSON.parse(text);
  if (Value.Check(SpeechManifest, value)) return value;
  const [first] = Value.Errors(SpeechManifest, value);
  throw new Error(`manifest.json${first?.instancePath ?? ''} ${first?.message ?? 'is not a manifest'}.`);
}
