import { expect, test } from 'vitest';
import { progressBar } from './train.ts';

test('training progress is a bar on a terminal and ten lines in a log', () => {
  const written: string[] = [];
  const bar = progressBar({ isTTY: true, write: (text) => written.push(text) });
  for (let done = 1; done <= 100; done++) bar(done, 100, done * 100);
  expect(written[0]).toBe('\r[..............................] 1 of 100 images, 0:00 left        ');
  expect(written.at(-1)).toBe('\r[##############################] 100 of 100 images        \n');
  const lines: string[] = [];
  const log = progressBar({ write: (text) => lines.push(text) });
  for (let done = 1; done <= 1000; done++) log(done, 1000, done);
  expect(lines).toHaveLength(10);
});
