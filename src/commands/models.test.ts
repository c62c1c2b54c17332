import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelLines, progressLine } from './models.ts';

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
