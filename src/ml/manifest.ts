import { type Static, Type } from 'typebox';
import { parseJson } from './parse-json.ts';

const VERSION_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const isVersionName = (name: string): boolean => VERSION_NAME.test(name);

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const File = Type.Object({ sha256: Sha256 });

/** Schema of a model version's `manifest.json`. Other fields are informational. */
export const Manifest = Type.Object({
  version: Type.String({ pattern: VERSION_NAME.source }),
  /** Network input `image`: the upright photo, stretched to `width` × `height` pixels. */
  input: Type.Object({
    type: Type.Literal('uint8'),
    layout: Type.Literal('NHWC'),
    colour: Type.Literal('RGB'),
    width: Type.Integer({ minimum: 1, maximum: 4096 }),
    height: Type.Integer({ minimum: 1, maximum: 4096 }),
  }),
  files: Type.Object({
    'backbone.onnx': File,
    'heads.json': File,
    /** Statistics of the training photos; without it, results have no familiarity. */
    'familiarity.json': Type.Optional(File),
    /** Photos of the training, for trainings from corrections. */
    'replay.json': Type.Optional(File),
    /** Patches of photos without defects; the version then reports deviations from them instead of classes. */
    'patches.json': Type.Optional(File),
  }),
  taxonomy: Type.Object({
    masters: Type.Record(Type.String(), Type.Array(Type.String())),
    surfaces: Type.Optional(Type.Array(Type.String())),
    /** The "no defect" class: a group without defect names. */
    sound: Type.String(),
  }),
  thresholds: Type.Object({ defects: Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: 1 })) }),
  created: Type.Optional(Type.String({ maxLength: 40 })),
  metrics: Type.Optional(Type.Unknown()),
});
export type Manifest = Static<typeof Manifest>;
export type ModelFile = keyof Manifest['files'];

export const parseManifest = (text: string): Manifest => parseJson(Manifest, text, 'manifest.json');

export const byVersion = new Intl.Collator('en', { numeric: true }).compare;
