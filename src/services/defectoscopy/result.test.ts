import { describe, expect, it } from 'vitest';
import { type Recorded, splitResult } from './result.ts';

const parse = ({ result, version }: ReturnType<typeof splitResult>) => [JSON.parse(result), JSON.parse(version)];

describe('parted', () => {
  it.each([
    ['as the model writes it', '{"surface":"concrete_wall","masters":[],"model_version":"1.0.0"}'],
    ['with the version in another place', '{"model_version":"1.0.0","surface":"concrete_wall","masters":[]}'],
    ['with spaces', '{ "surface" : "concrete_wall", "masters" : [], "model_version" : "1.0.0" }'],
    ['with a version that is escaped', '{"surface":"concrete_wall","masters":[],"model_version":"1\\"0\\u0030"}'],
    ['with a version deeper down', '{"model_version":"1.0.0","masters":[{"name":"a","model_version":"2"}]}'],
    ['with what looks like a version in a text', '{"model_version":"1.0.0","surface":",\\"model_version\\":\\"2\\"}"}'],
  ])('splits a stored result as parsing does: %s', (_, text) => {
    const { model_version, ...result } = JSON.parse(text) as Recorded;
    expect(parse(splitResult(text))).toEqual([result, model_version]);
  });
});
