import { defineConfig } from 'vitest/config';

/*
 * The tiers. A file name states the tier: in src/, `x.test.ts` is a unit test (no server, no browser) and
 * `x.integration.test.ts` needs one; all tests of test/ are integration tests. `x.full.test.ts`, and a test tagged `full`,
 * run in `npm run test:full` only: long fault injection, hostile input, measurements.
 */
const FULL = ['{src,test}/**/*.full.test.{ts,tsx}'];
/** In processes of their own, because a process keeps the native library that it has loaded first. */
const NATIVE = ['src/ml/**/*.full.test.ts'];
/** It changes the network interfaces of the machine, whereupon a browser fails its requests with ERR_NETWORK_CHANGED. */
const NETWORK = ['test/faults/multi-host.full.test.ts'];
const TESTS = ['{src,test}/**/*.test.{ts,tsx}'];
const INTEGRATION = ['test/**/*.test.ts', 'src/**/*.integration.test.{ts,tsx}'];

/*
 * Files share the loaded modules, which takes 40 % less CPU time in unit tests and 2 s less for a file that starts the product. So
 * tests mock no modules and restore what they replace.
 */
const options = { testTimeout: 60_000, hookTimeout: 120_000, isolate: false };
/** `imports` of package.json lead to the sources. */
const source = { oxc: { jsx: { development: false } }, ssr: { resolve: { conditions: ['assay-source', 'node'] } } };
const server = { globalSetup: ['test/support/database-server.ts'] };
const last = { sequence: { groupOrder: 1 } };

export default defineConfig({
  test: {
    reporters: ['default', './test/support/reporter.ts'],
    // Two cores: two files at a time, each with its own database on one server.
    maxWorkers: 2,
    tags: [{ name: 'full', description: 'only in `npm run test:full`' }],
    projects: [
      {
        ...source,
        test: {
          ...options,
          name: 'unit',
          include: TESTS,
          exclude: [...INTEGRATION, ...FULL],
        },
      },
      // Unit and integration tests in one project, which loads each module once per process.
      { ...source, test: { ...options, ...server, name: 'short', include: TESTS, exclude: FULL } },
      { ...source, test: { ...options, ...server, name: 'full', include: TESTS, exclude: [...NATIVE, ...NETWORK] } },
      // After the others, because none of these opens a browser.
      { ...source, test: { ...options, ...last, name: 'native', include: NATIVE, isolate: true } },
      { ...source, test: { ...options, ...last, name: 'network', include: NETWORK } },
    ],
  },
});
