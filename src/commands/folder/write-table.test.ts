import { expect, it, onTestFinished, vi } from 'vitest';
import { report } from './write-table.ts';

it('prints failures without control characters of the server or a file name', () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {});
  vi.spyOn(console, 'log').mockImplementation(() => {});
  onTestFinished(() => {
    vi.restoreAllMocks();
    process.exitCode = undefined;
  });
  const item = { name: 'a\u001b[2J.jpg', title: '', outputName: '', paths: [], version: '' };
  report([{ item, task: undefined, result: undefined, failure: { code: 'X', message: 'bad\u0007' } }], 'a.csv');
  expect(print).toHaveBeenCalledExactlyOnceWith('a [2J.jpg: bad  (X)');
});
