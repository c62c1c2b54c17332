import { expect, it, vi } from 'vitest';
import type { Log } from '../base/log.ts';
import type { Model } from '../services/service.ts';
import type { Claim } from '../tasks/store.ts';
import { TaskFailure } from '../tasks/task.ts';
import { beginAttempt } from './attempt.ts';

it('tells the operator what failed and why, and never the input', async () => {
  const info = vi.fn();
  const log = { info, child: () => log } as unknown as Log;
  const cause = new Error('connection reset');
  const failure = new TaskFailure({ code: 'IMAGE_FETCH_FAILED', sentence: 'No.' }, { cause });
  const model = { timeLimitMs: 1000, run: () => Promise.reject(failure) } as unknown as Model;
  const claim = { id: 't', attempt: 1, input: { image_url: 'https://x.example/secret' } } as unknown as Claim;
  await beginAttempt(claim, model, { maxAttempts: 3, log }).ended;
  expect(info).toHaveBeenCalledWith(
    expect.objectContaining({ code: 'IMAGE_FETCH_FAILED', err: cause }),
    expect.any(String),
  );
  expect(JSON.stringify(info.mock.calls)).not.toContain('secret');
});
