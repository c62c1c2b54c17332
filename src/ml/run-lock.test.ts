import { expect, it } from 'vitest';
import { createRunLock, markEnded, preventRuns, runLocked } from './run-lock.ts';

it('preventRuns() waits for the run in progress, and no run starts afterwards', async () => {
  const lock = createRunLock();
  let finish!: (value: number) => void;
  const running = runLocked(
    lock,
    () =>
      new Promise<number>((resolve) => {
        finish = resolve;
      }),
  );
  let isPrevented = false;
  const prevented = preventRuns(lock).then(() => {
    isPrevented = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(isPrevented).toBe(false);
  finish(7);
  expect(await running).toBe(7);
  await prevented;
  await expect(runLocked(lock, () => Promise.resolve(8))).rejects.toThrow('The thread ends.');
});

it('preventRuns() waits while a new thread loads, until it has opened its network', async () => {
  const lock = createRunLock();
  let isPrevented = false;
  const prevented = preventRuns(lock).then(() => {
    isPrevented = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(isPrevented).toBe(false);
  await expect(runLocked(lock, () => Promise.resolve(1))).rejects.toThrow('The thread ends.');
  await prevented;
});

it('runLocked() ends the run when it fails', async () => {
  const lock = createRunLock();
  await expect(runLocked(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await preventRuns(lock);
});

it('preventRuns() stops waiting when the thread ended during a run', async () => {
  const lock = createRunLock();
  void runLocked(lock, () => new Promise(() => {}));
  const prevented = preventRuns(lock);
  markEnded(lock);
  await prevented;
});
