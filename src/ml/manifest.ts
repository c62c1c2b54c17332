import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

const VERSION_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const isVersionName = (name: string): boolean => VERSION_NAME.test(name);

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const File = Type.Object({ sha256: Sha256 });

/** What lies beside a model's files and says what they are: `manifest.json`. What is not listed here is for people. */
export const Manifest = Type.Object({
  version: Type.String({ pattern: VERSION_NAME.source }),
  /** How a photo becomes the input `image`: upright, the whole of it stretched to `width` × `height` pixels. */
  input: Type.Object({
    type: Type.Literal('uint8'),
    layout: Type.Literal('NHWC'),
    colour: Type.Literal('RGB'),
    width: Type.Integer({ minimum: 1, maximum: 4096 }),
    height: Type.Integer({ minimum: 1, maximum: 4096 }),
  }),
  /** By name in the folder of the version. A version may leave its backbone to another one that has it. */
  files: Type.Object({ 'backbone.onnx': File, 'heads.json': File }),
  taxonomy: Type.Object({
    /** The defects of each group. */
    masters: Type.Record(Type.String(), Type.Array(Type.String())),
    /** The class that says "no defect": a group, but no defect name. */
    sound: Type.String(),
  }),
  /** The confidence from which each defect is listed. */
  thresholds: Type.Object({ defects: Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: 1 })) }),
});
export type Manifest = Static<typeof Manifest>;
export type ModelFile = keyof Manifest['files'];

/** The manifest that `text` is; throws with a sentence that says what is wrong with it. */
export function parseManifest(text: string): Manifest {
  const value: unknown = JSON.parse(text);
  if (Value.Check(Manifest, value)) return value;
  const [first] = Value.Errors(Manifest, value);
  throw new Error(`manifest.json${first?.instancePath ?? ''} ${first?.message ?? 'is not a manifest'}.`);
}

/** Newer versions last: numbers in them count as numbers, so 1.10.0 comes after 1.9.0. */
export function byVersion(a: string, b: string): number {
  return collator.compare(a, b);
}
const collator = new Intl.Collator('en', { numeric: true });
