import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { installColours } from '../../test/support/ml/model.ts';
import { parseHeads } from './heads.ts';
import { type ModelDirectory, openModelDirectory, readVerifiedFile } from './model-directory.ts';

let shipped: string;
let trained: string;
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-models-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  shipped = join(folder, 'shipped');
  trained = join(folder, 'trained');
});

const open = async () => {
  const problems: string[] = [];
  const models = await openModelDirectory([shipped, trained], (place, error) =>
    problems.push(`${place}: ${(error as Error).message}`),
  );
  onTestFinished(() => models.close());
  return { models, problems };
};
const names = (models: ModelDirectory) => models.versions().map(({ version }) => version);
const find = (models: ModelDirectory, name: string) => models.versions().find(({ version }) => version === name)!;

describe('openModelDirectory', () => {
  test('lists the versions of all folders in numeric order', async () => {
    await installColours(shipped, '1.10.0');
    await installColours(shipped, '1.9.0');
    await installColours(trained, 'yard-2');
    const { models } = await open();
    expect(names(models)).toEqual(['1.9.0', '1.10.0', 'yard-2']);
  });

  test('treats a missing folder as empty and finds later versions within seconds', async () => {
    await installColours(shipped, '1.0.0');
    const { models } = await open();
    expect(names(models)).toEqual(['1.0.0']);
    await installColours(trained, 'mine');
    await vi.waitFor(() => expect(names(models)).toEqual(['1.0.0', 'mine']), 3000);
    await rm(join(trained, 'mine'), { recursive: true });
    await vi.waitFor(() => expect(names(models)).toEqual(['1.0.0']), 3000);
  });

  test('finds two versions installed at the same time', async () => {
    await installColours(shipped, '1.0.0');
    const { models } = await open();
    await installColours(shipped, '1.0.1');
    await models.refresh();
    await installColours(shipped, '1.0.2');
    await models.refresh();
    expect(names(models)).toEqual(['1.0.0', '1.0.1', '1.0.2']);
  });

  test('prefers a shipped version over a trained version of the same name', async () => {
    await installColours(shipped, '1.0.0');
    await installColours(trained, '1.0.0');
    const { models } = await open();
    expect(names(models)).toEqual(['1.0.0']);
    expect(find(models, '1.0.0').folder).toBe(join(shipped, '1.0.0'));
  });

  test('ignores drafts and reports an invalid folder once', async () => {
    await installColours(shipped, '1.0.0');
    await mkdir(join(shipped, '.draft'));
    await mkdir(join(shipped, 'junk'));
    await writeFile(join(shipped, 'junk', 'manifest.json'), '{"version": "junk"}');
    await installColours(shipped, 'other', { manifest: { version: 'another' } });
    const { models, problems } = await open();
    await models.refresh();
    expect(names(models)).toEqual(['1.0.0']);
    expect(problems.sort()).toEqual([
      expect.stringMatching(/junk: manifest\.json/),
      expect.stringMatching(/other: .*names the version another/),
    ]);
  });
});

describe('readVerifiedFile', () => {
  test('rejects a modified file and names both hashes', async () => {
    const folder = await installColours(shipped, '1.0.0');
    const { models } = await open();
    await expect(readVerifiedFile(find(models, '1.0.0'), 'heads.json')).resolves.toHaveProperty('path');
    await appendFile(join(folder, 'heads.json'), ' ');
    await expect(readVerifiedFile(find(models, '1.0.0'), 'heads.json')).rejects.toThrow(
      /does not match .* SHA-256 is [0-9a-f]{64}, not [0-9a-f]{64}/,
    );
  });

  test('takes a missing backbone from a version with the same hash', async () => {
    const folder = await installColours(shipped, '1.0.0');
    await installColours(shipped, '2.0.0', { size: 64 });
    await installColours(trained, 'mine', { backbone: false });
    const { models } = await open();
    const { path } = await readVerifiedFile(find(models, 'mine'), 'backbone.onnx', models.versions());
    expect(path).toBe(join(folder, 'backbone.onnx'));
    await rm(folder, { recursive: true });
    await expect(readVerifiedFile(find(models, 'mine'), 'backbone.onnx', models.versions())).rejects.toThrow(
      'Version mine has no backbone.onnx, and no other installed version provides it',
    );
  });
});

test('parseHeads rejects inconsistent dimensions', () => {
  const text = (head: object, rest: object = {}) =>
    JSON.stringify({ format: 1, features: 2, map: { channels: 1, offset: 1 }, heads: { surface: head }, ...rest });
  const good = {
    labels: ['a', 'b'],
    temperature: 1,
    bias: [0, 0],
    weights: [
      [1, 2],
      [3, 4],
    ],
  };
  expect(parseHeads(text(good)).heads['surface']!.weights).toEqual(Float32Array.from([1, 2, 3, 4]));
  expect(() => parseHeads(text({ ...good, weights: [[1, 2], [3]] }))).toThrow('surface must have 2 weights');
  expect(() => parseHeads(text({ ...good, bias: [0] }))).toThrow('surface must have 2 weights');
  expect(() => parseHeads(text({ ...good, temperature: 0 }))).toThrow('heads.json/heads/surface/temperature');
  expect(() => parseHeads(text(good, { map: { channels: 2, offset: 1 } }))).toThrow('not the tail');
});
