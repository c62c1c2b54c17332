import { expect, it } from 'vitest';
import type { Task } from '../../tasks/task.ts';
import { pollAfterSeconds, preferredLanguage } from './task-routes.ts';

const queuedAt = new Date('2026-01-01T00:00:00Z');
const task = { service: 'stt', queuedAt, estimateSeconds: 90 } as Task;
const after = (seconds: number) => pollAfterSeconds(task, new Date(queuedAt.getTime() + seconds * 1000));

it('pollAfterSeconds returns the rest of the estimate, then 30 s to 60 s with the age of the task', () => {
  expect(after(0)).toBe(90);
  expect(after(60)).toBe(30);
  expect(after(89.5)).toBe(1);
  expect(after(90)).toBe(30);
  expect(after(190)).toBe(40);
  expect(after(5000)).toBe(60);
});

it.each([
  [undefined, 'en'],
  ['ru', 'ru'],
  ['ru-RU,ru;q=0.9,en;q=0.8', 'ru'],
  ['en,ru;q=0.5', 'en'],
  ['de,ru;q=0.5', 'ru'],
  ['fr', 'en'],
] as const)('preferredLanguage maps the Accept-Language header %s to %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});
