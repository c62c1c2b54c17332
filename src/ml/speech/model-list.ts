import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Static, Type } from 'typebox';
import { OperatorError } from '../../base/operator-error.ts';
import { parseJson } from '../parse-json.ts';

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Path = Type.String({ pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*$' });

/** Who exported a model for sherpa-onnx; default: NeMo. */
const Family = Type.Optional(Type.Union([Type.Literal('nemo'), Type.Literal('zipformer')]));

/** Schema of `models/stt/NAME/manifest.json`: the model, the source of its files and their hashes. */
export const SpeechManifest = Type.Object({
  name: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{0,63}$' }),
  title: Type.String(),
  licence: Type.String(),
  /** ISO 639-1 codes; absent for a multilingual model of about 100 languages. */
  languages: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z]{2}$' }))),
  /** Into English. */
  translates: Type.Optional(Type.Boolean()),
  windowSeconds: Type.Number({ minimum: 1, maximum: 600 }),
  engine: Type.Union([
    Type.Object({ runs: Type.Literal('whisper'), encoder: Path, decoder: Path }),
    Type.Object({
      runs: Type.Literal('sherpa'),
      kind: Type.Literal('moonshine'),
      encoder: Path,
      mergedDecoder: Path,
      /** The tokens are generated from the vocabulary of another package. */
      tokens: Type.Object({ package: Type.String(), sha256: Sha256 }),
    }),
    Type.Object({
      runs: Type.Literal('sherpa'),
      kind: Type.Literal('transducer'),
      family: Family,
      encoder: Path,
      decoder: Path,
      joiner: Path,
      tokens: Path,
    }),
    Type.Object({ runs: Type.Literal('sherpa'), kind: Type.Literal('ctc'), family: Family, model: Path, tokens: Path }),
  ]),
  /** The optional npm package with the files; `version` is the one to install. */
  package: Type.Optional(Type.Object({ name: Type.String(), version: Type.Optional(Type.String()), folder: Path })),
  url: Type.Optional(Type.String({ pattern: '^https://.*/$' })),
  /** Files without a known hash: the first pull records it. */
  files: Type.Record(
    Path,
    Type.Object({ sha256: Type.Optional(Sha256), bytes: Type.Optional(Type.Integer({ minimum: 0 })) }),
  ),
});
export type SpeechManifest = Static<typeof SpeechManifest>;

const MODELS_FOLDER = fileURLToPath(new URL('../../../models/stt/', import.meta.url));

export function listSpeechModels(): SpeechManifest[] {
  return readdirSync(MODELS_FOLDER).sort().map(readManifest);
}

export function findSpeechModel(name: string): SpeechManifest | undefined {
  return readdirSync(MODELS_FOLDER).includes(name) ? readManifest(name) : undefined;
}

/** Throws an OperatorError with all names for an unknown one. */
export function requireSpeechModel(name: string): SpeechManifest {
  const manifest = findSpeechModel(name);
  if (manifest) return manifest;
  const names = listSpeechModels().map((model) => model.name);
  throw new OperatorError(`Unknown speech model ${name}. Available models: ${names.join(', ')}.`);
}

const readManifest = (name: string) =>
  parseSpeechManifest(readFileSync(join(MODELS_FOLDER, name, 'manifest.json'), 'utf8'));

export const parseSpeechManifest = (text: string): SpeechManifest => parseJson(SpeechManifest, text, 'manifest.json');
