import { expect, it } from 'vitest';
import { formatProgress, withProgress } from './progress.ts';

it('shows the progress bar when the service reports progress, and otherwise the elapsed time', () => {
  expect(formatProgress({ status: 'processing', progress: 0.5 }, 12.3, 60)).toBe(
    '[###############...............] 50 %, processing, 12 s',
  );
  expect(formatProgress({ status: 'queued' }, 3, 90)).toBe('queued, 3 s (estimated 90 s)');
  expect(formatProgress({ status: 'PENDING' }, 3)).toBe('pending, 3 s');
});

it('shows the progress line only on a terminal and clears it at the end', async () => {
  for (const isTTY of [true, false]) {
    const written: string[] = [];
    const out = { isTTY, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream;
    const run = async (onState: (state: { status: string; progress: number }) => void) => {
      onState({ status: 'processing', progress: 0.1 });
      return 'done';
    };
    expect(await withProgress(run, { out })).toBe('done');
    expect(written.map((text) => text.replace('\r\x1b[K', ''))).toEqual(
      isTTY ? [expect.stringContaining('10 %, processing'), ''] : [],
    );
  }
});
