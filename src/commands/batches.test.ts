import { expect, it, onTestFinished } from 'vitest';
import { batchResultsCommand } from './batches.ts';

it.each(['xlsx', 'zip'] as const)('batches results does not write %s to a terminal', async (format) => {
  const { isTTY } = process.stdout;
  onTestFinished(() => {
    process.stdout.isTTY = isTTY;
  });
  process.stdout.isTTY = true;
  const { signal } = new AbortController();
  await expect(batchResultsCommand('any', { service: 'stt', format }, signal)).rejects.toThrow(
    `--format ${format} needs --output: a file.`,
  );
});
