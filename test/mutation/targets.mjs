/**
 * Security checks and the tests that must detect their mutants. `database`: the tests need one.
 *
 * @type {readonly { file: string, tests: readonly string[], database?: boolean }[]}
 */
export const TARGETS = [
  { file: 'src/base/addresses.ts', tests: ['src/base/addresses.test.ts', 'src/base/own-addresses.test.ts'] },
  {
    file: 'src/base/outbound-url.ts',
    tests: ['src/base/outbound-url.test.ts', 'src/base/outbound-url-limits.test.ts'],
  },
  { file: 'src/base/guarded-connector.ts', tests: ['src/base/guarded-fetch.integration.test.ts'] },
  { file: 'src/base/guarded-fetch.ts', tests: ['src/base/guarded-fetch.integration.test.ts'] },
  { file: 'src/http/bearer.ts', tests: ['src/http/bearer.test.ts'] },
  { file: 'src/http/csrf.ts', tests: ['src/http/csrf.test.ts'] },
  { file: 'src/http/same-origin.ts', tests: ['src/http/same-origin.test.ts'] },
  {
    file: 'src/http/rate-limit.ts',
    tests: ['src/http/rate-limit.test.ts', 'src/http/shared-limits.full.test.ts'],
    database: true,
  },
  { file: 'src/http/auth-and-limit.ts', tests: ['src/http/gateway.test.ts', 'src/http/bearer.test.ts'] },
  { file: 'src/http/server-limits.ts', tests: ['src/http/server-limits.integration.test.ts'] },
  {
    file: 'src/services/passports/auth/tokens.ts',
    tests: ['src/services/passports/auth/tokens.test.ts', 'test/hostile/tokens.full.test.ts'],
  },
  { file: 'src/services/passports/auth/api-keys.ts', tests: ['src/services/passports/auth/api-keys.test.ts'] },
  { file: 'src/services/passports/auth/auth-guard.ts', tests: ['test/passports/access.test.ts'], database: true },
  { file: 'src/services/catalog/auth/auth-guard.ts', tests: ['test/catalog/catalog.test.ts'], database: true },
  { file: 'src/services/catalog/auth/tokens.ts', tests: ['test/catalog/catalog.test.ts'], database: true },
];
