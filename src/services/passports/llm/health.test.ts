import { expect, it } from 'vitest';
import { createLlmHealth } from './health.ts';

it('probes the language model at most every 30 seconds, and caches failures as long as successes', async () => {
  let [now, probes] = [0, 0];
  let answer: Error | undefined;
  const probe = async () => {
    probes++;
    if (answer) throw answer;
  };
  const llm = createLlmHealth({ provider: 'openai', probe }, () => now);
  expect(await Promise.all([llm.check(), llm.check()])).toEqual(
    Array.from({ length: 2 }, () => ({ status: 'ok', provider: 'openai', error: null })),
  );
  answer = new Error('it does not answer');
  now = 29_999;
  expect((await llm.check()).status).toBe('ok');
  expect(probes).toBe(1);
  now = 30_000;
  expect(await llm.check()).toEqual({ status: 'error', provider: 'openai', error: 'it does not answer' });
  answer = undefined;
  now = 60_000;
  expect((await llm.check()).status).toBe('ok');
  expect(probes).toBe(3);
});

it('reports "unconfigured" without a language model', async () => {
  expect(await createLlmHealth(undefined).check()).toEqual({ status: 'unconfigured', provider: 'none', error: null });
});
