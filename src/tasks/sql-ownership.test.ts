import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const SRC = new URL('../', import.meta.url);
const MIGRATIONS = new URL('../../migrations/', import.meta.url);
const TABLES = 'tasks|deliveries|workers|models|departed_metrics';
/** SQL is written in lower case, unlike the first word of most sentences. */
const SQL = new RegExp(`\\b(?:from|join|into|update|using|table|truncate)\\s+(?:only\\s+)?(?:${TABLES})\\b`, 'g');
/** A statement that ends tasks, up to its assignment of the final status. */
const ENDS_TASKS =
  /(?:\bset\s+|,\s*|`\s*)status\s*=(?!\s*'(?:queued|processing)')|\$\{failSql\(|\binsert into tasks \([^)]*\bfinished_at\b/g;
/** The rest of the same query, with the queries that record the ends. */
const RECORDS_ENDS =
  /^(?:(?!\b(?:update|insert into) tasks\b)[\s\S])*?returning \$\{ENDED_COLUMNS\}\s*\),\$\{afterEndSql\('\w+'\)\}/;
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

it('a statement in src/tasks that ends tasks uses afterEndSql, except those of batches and messages', () => {
  const ends = sources
    .filter((path) => path.startsWith('tasks/'))
    .flatMap((path) => {
      const text = readFileSync(new URL(path, SRC), 'utf8');
      return [...text.matchAll(ENDS_TASKS)].map(({ index, 0: sql }) => ({
        found: `${path}: ${sql.replace(/\s+/g, ' ')}`,
        isRecorded: RECORDS_ENDS.test(text.slice(index + sql.length)),
      }));
    });
  expect(ends.filter(({ isRecorded }) => !isRecorded).map(({ found }) => found)).toEqual([
    // A batch has an event of its own.
    'tasks/batch-statements.ts: set status =',
    // A message is sent to a receiver and has no event.
    expect.stringMatching(/^tasks\/messages\.ts: insert into tasks \(/),
    // The assignments of `failSql` itself.
    'tasks/task-rows.ts: ` status =',
  ]);
  expect(ends.filter(({ isRecorded }) => isRecorded).length).toBeGreaterThanOrEqual(5);
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
