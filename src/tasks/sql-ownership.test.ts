import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const SRC = new URL('../', import.meta.url);
const MIGRATIONS = new URL('../../migrations/', import.meta.url);
const TABLES = 'tasks|deliveries|workers|models|departed_metrics';
/** SQL is written in lower case, unlike the first word of most sentences. */
const SQL = new RegExp(`\\b(?:from|join|into|update|using|table|truncate)\\s+(?:only\\s+)?(?:${TABLES})\\b`, 'g');
const WRITES_TO_VIEW = /\b(?:into|update|delete from)\s+tasks_read_only\b/g;

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.|\/testing\//.test(path));
const violations = (paths: readonly string[], pattern: RegExp) =>
  paths.flatMap((path) =>
    (readFileSync(new URL(path, SRC), 'utf8').match(pattern) ?? []).map((sql) => `${path}: ${sql}`),
  );

it('only src/tasks has SQL over the tables of the task engine', () => {
  const others = sources.filter((path) => !path.startsWith('tasks/'));
  expect(others.length).toBeGreaterThan(500);
  expect(violations(others, SQL)).toEqual([]);
  expect(violations(sources, SQL).length).toBeGreaterThan(20);
});

it('services only read the view of tasks', () => {
  expect(violations(sources, WRITES_TO_VIEW)).toEqual([]);
});

it('the migrations of the core name no service', () => {
  const core = readdirSync(MIGRATIONS).filter(
    (name) => name.endsWith('.sql') && !/_(?:defectoscopy|stt|passports|catalog)/.test(name),
  );
  expect(core.length).toBeGreaterThanOrEqual(4);
  for (const name of core) {
    expect(readFileSync(new URL(name, MIGRATIONS), 'utf8')).not.toMatch(/defectoscopy|stt|passport|catalog/i);
  }
});
