import { expect, it } from 'vitest';
import { watchLlm } from './llm-health.ts';

it('asks the provider at most every 30 seconds, and keeps a bad answer as long as a good one', async () => {
  let [now, asked] = [0, 0];
  let answer: Error | undefined;
  const probe = async () => {
    asked++;
    if (answer) throw answer;
  };
  const llm = watchLlm({ provider: 'openai', probe }, () => now);
  expect(await Promise.all([llm.check(), llm.check()])).toEqual(
    Array.from({ length: 2 }, () => ({ status: 'ok', provider: 'openai', error: null })),
  );
  answer = new Error('it does not answer');
  now = 29_999;
  expect((await llm.check()).status).toBe('ok');
  expect(asked).toBe(1);
  now = 30_000;
  expect(await llm.check()).toEqual({ status: 'error', provider: 'openai', error: 'it does not answer' });
  answer = undefined;
  now = 60_000;
  expect((await llm.check()).status).toBe('ok');
  expect(asked).toBe(3);
});

it('asks nobody where there is no language model', async () => {
  expect(await watchLlm(undefined).check()).toEqual({ status: 'unconfigured', provider: 'none', error: null });
});
