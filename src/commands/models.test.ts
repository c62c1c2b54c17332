import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { requireSpeechModel } from '../ml/speech/model-list.ts';
import type { SharedSettings } from '../services/shared/service.ts';
import { installModel, modelLines, progressLine } from './models.ts';

test('the model list shows which models are ready and the install command of each other model', () => {
  const lines = modelLines(join(tmpdir(), 'assay-no-such-folder'));
  const line = (name: string) => lines.find((each) => each.startsWith(`${name} `));
  expect(line('whisper-base')).toMatch(/: ready$/);
  expect(line('moonshine-base')).toMatch(/: ready$/);
  expect(line('parakeet-tdt-0.6b-v3')).toMatch(
    /: `node scripts\/assay\.mjs models pull parakeet-tdt-0\.6b-v3`, 670 MB$/,
  );
  expect(line('whisper-small')).toMatch(/: `node scripts\/assay\.mjs models pull whisper-small`$|: ready$/);
});

function recordProgress(isTTY: boolean) {
  const lines: string[] = [];
  let now = 0;
  const progress = progressLine({ isTTY, write: (text) => lines.push(text) }, () => now);
  return { lines, progress, later: () => (now += 1000) };
}

test('download progress on a terminal rewrites one line', () => {
  const { lines, progress, later } = recordProgress(true);
  progress('a.onnx', 1e6, 4e6);
  progress('a.onnx', 2e6, 4e6);
  later();
  progress('a.onnx', 3e6, 4e6);
  progress('a.onnx', 4e6, 4e6);
  expect(lines).toEqual(['1', '3', '4'].map((n) => `\r\u001b[Ka.onnx: ${n} of 4 MB${n === '4' ? '\n' : ''}`));
});

test('download progress in a log is one line per tenth of each file', () => {
  const { lines, progress } = recordProgress(false);
  for (let bytes = 1e5; bytes <= 4e6; bytes += 1e5) progress('a.onnx', bytes, 4e6);
  expect(lines).toHaveLength(11);
  progress('b.onnx', 2e8, undefined);
  expect(lines.at(-1)).toBe('b.onnx: 200 MB\n');
});

test('a second installation of a model is refused while the first one runs', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'assay-models-'));
  const publisher = createServer(() => {}).listen(0, '127.0.0.1');
  await once(publisher, 'listening');
  onTestFinished(async () => {
    publisher.closeAllConnections();
    publisher.close();
    await rm(dataDir, { recursive: true });
  });
  const stop = new AbortController();
  const install = () =>
    installModel(requireSpeechModel('gigaam-v3'), {
      shared: { dataDir } as SharedSettings,
      mirror: `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`,
      signal: stop.signal,
      out: process.stdout,
    });
  const requested = once(publisher, 'request');
  const first = install();
  await requested;
  await expect(install()).rejects.toThrow(
    `gigaam-v3 is already being installed (process ${process.pid}). Wait until it has ended.`,
  );
  stop.abort();
  await expect(first).rejects.toThrow('Stopped.');
  expect(await readdir(join(dataDir, 'models/stt'))).toEqual(['.gigaam-v3.partial']);
});
