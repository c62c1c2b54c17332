import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/** Tests that only `npm run test:full` runs: fault injection, hostile input, several hosts, long measurements. */
const FULL = [
  'test/hostile/',
  'test/documents/',
  'test/chaos',
  'test/delayed-claims.test.ts',
  'test/file-removal.test.ts',
  'test/fuzz.test.ts',
  'test/large-results.test.ts',
  'test/layout-and-a11y.test.ts',
  'test/lost-worker.test.ts',
  'test/multi-host.test.ts',
  'test/open-snapshot.test.ts',
  'test/outage.test.ts',
  'test/overload.test.ts',
  'test/passports-limits.test.ts',
  'test/pooler.test.ts',
  'test/slow-receivers.test.ts',
  'test/soak-trend.test.ts',
  'test/standby.test.ts',
  'test/unknown-commit.test.ts',
  'test/upgrade.test.ts',
  'test/webhook-loopback.test.ts',
  'src/ml/speech/open-recognizer.test.ts',
];

/** A unit test imports no database, product, program or model. */
const NOT_UNIT = [
  /testing\/(database|require|reports)|embedded-postgres|supervise/,
  /^src\/(ml|services\/[a-z]+\/model)\//,
];

const tests = ['src', 'test'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`),
);
const isFull = (file: string) => FULL.some((path) => file.startsWith(path));
const isUnit = (file: string) =>
  file.startsWith('src/') &&
  !NOT_UNIT.some((pattern) => pattern.test(file) || pattern.test(readFileSync(file, 'utf8')));

const options = { testTimeout: 60_000, hookTimeout: 120_000 };
const server = { globalSetup: ['test/database-server.ts'] };

export default defineConfig({
  test: {
    reporters: ['default', './test/reporter.ts'],
    // Two cores: two files at a time, each with its own database on one server.
    maxWorkers: 2,
    projects: [
      { test: { ...options, name: 'unit', include: tests.filter((file) => !isFull(file) && isUnit(file)) } },
      {
        test: {
          ...options,
          ...server,
          name: 'integration',
          include: tests.filter((file) => !isFull(file) && !isUnit(file)),
        },
      },
      { test: { ...options, ...server, name: 'full', include: tests.filter(isFull) } },
    ],
  },
});
