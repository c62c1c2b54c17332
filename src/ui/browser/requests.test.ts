import { expect, it } from 'vitest';
import { uiTexts } from '../texts.ts';
import { retryText } from './poll-task.ts';
import { errorMessage, RequestError, readAnswer } from './requests.ts';

it('A request over the rate limit shows once in how many seconds it can be repeated', () => {
  const error = { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests: try again in 45 s.' };
  const read = () => readAnswer(429, JSON.stringify({ ok: false, error }), '45');
  let refusal: RequestError | undefined;
  try {
    read();
  } catch (thrown) {
    refusal = thrown as RequestError;
  }
  const messagesIn = (language: 'en' | 'ru') => {
    const { refusals, retry } = uiTexts[language];
    const message = errorMessage(refusal, { offline: '', refusals, problems: {} });
    return [message, retryText({ refusal: refusal!, seconds: 44 }, retry, message)];
  };
  expect(messagesIn('en')).toEqual([error.message, 'Too many requests. Retrying in 44 s.']);
  expect(messagesIn('ru')).toEqual([
    'Слишком много запросов. Повторите через 45 с.',
    'Слишком много запросов. Повтор через 44 с.',
  ]);
});

it.each([
  ['You have 20 open event feeds on this gateway, which is the limit.', ''],
  ['Too many of your tasks wait: nothing was accepted.', ' Try again in 45 s.'],
])('A countdown keeps the reason of another limit: %s', (reason, rest) => {
  const refusal = new RequestError(429, reason + rest, { code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 45 });
  expect(retryText({ refusal, seconds: 44 }, uiTexts.en.retry, refusal.message)).toBe(`${reason} Retrying in 44 s.`);
});
