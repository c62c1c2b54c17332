import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OperatorError } from '../../../base/operator-error.ts';
import { bundledFile } from './bundled-file.ts';

const NETWORK = Buffer.from('a network');
const sha256 = createHash('sha256').update(NETWORK).digest('hex');
const MANIFEST = JSON.stringify({ files: { 'fields.onnx': { bytes: NETWORK.length, sha256 } } });

async function folder(files: Record<string, string | Buffer>): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'assay-network-'));
  onTestFinished(() => rm(path, { recursive: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  return path;
}

async function expectOperatorError(path: string): Promise<void> {
  const error = await bundledFile('fields.onnx', path).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(OperatorError);
  expect((error as OperatorError).message).toContain(path);
}

describe('bundledFile', () => {
  it('returns the path of a network that matches its manifest', async () => {
    const path = await folder({ 'fields.onnx': NETWORK, 'manifest.json': MANIFEST });
    expect(await bundledFile('fields.onnx', path)).toBe(join(path, 'fields.onnx'));
  });

  it('names the folder if the network or its manifest is missing', async () => {
    await expectOperatorError(await folder({ 'manifest.json': MANIFEST }));
    await expectOperatorError(await folder({ 'fields.onnx': NETWORK }));
    await expectOperatorError(join(await folder({}), 'missing'));
  });

  it('names the folder if a byte of the network differs', async () => {
    const changed = Buffer.from(NETWORK);
    changed[3]! ^= 1;
    await expectOperatorError(await folder({ 'fields.onnx': changed, 'manifest.json': MANIFEST }));
  });

  it.each(['', '{', '{}', 'null', '{"files":{}}', '{"files":{"fields.onnx":{}}}'])(
    'names the folder if the manifest is %j',
    async (manifest) => {
      await expectOperatorError(await folder({ 'fields.onnx': NETWORK, 'manifest.json': manifest }));
    },
  );
});
