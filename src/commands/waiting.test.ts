import { expect, it } from 'vitest';
import { waitingLine, whileWaiting } from './waiting.ts';

it('says how far a task is where its service tells, and otherwise how long it has lasted', () => {
  expect(waitingLine({ status: 'processing', progress: 0.5 }, 12.3, 60)).toBe(
    '[###############...............] 50 %, processing, 12 s',
  );
  expect(waitingLine({ status: 'queued' }, 3, 90)).toBe("queued, 3 s; the service's estimate is 90 s");
  expect(waitingLine({ status: 'PENDING' }, 3)).toBe('pending, 3 s');
});

it('shows it on a terminal alone, and leaves nothing there', async () => {
  for (const isTTY of [true, false]) {
    const written: string[] = [];
    const out = { isTTY, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream;
    const run = async (seen: (state: { status: string; progress: number }) => void) => {
      seen({ status: 'processing', progress: 0.1 });
      return 'done';
    };
    expect(await whileWaiting(run, { out })).toBe('done');
    expect(written.map((text) => text.replace('\r\x1b[K', ''))).toEqual(
      isTTY ? [expect.stringContaining('10 %, processing'), ''] : [],
    );
  }
});
