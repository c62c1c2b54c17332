import { expect, it } from 'vitest';
import { formatFolderProgress } from './run-folder.ts';

it.each([
  [{ done: 0, failed: 0, total: 300 }, 0, '[..............................] 0 of 300'],
  [{ done: 100, failed: 0, total: 300 }, 50, '[##########....................] 100 of 300, about 100 s left'],
  [{ done: 300, failed: 2, total: 300 }, 150, '[##############################] 300 of 300, 2 failed, about 0 s left'],
])('formats %j', (counts, seconds, text) => {
  expect(formatFolderProgress(counts, seconds)).toBe(text);
});
