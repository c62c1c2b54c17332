/**
 * Mutants that do not change behaviour, with the reason. `on` is part of the mutated line.
 *
 * @type {readonly { file: string, on: string, was: string, becomes: string, why: string }[]}
 */
export const EQUIVALENT = [
  {
    file: 'src/http/csrf.ts',
    on: 'CSRF_FIELD',
    was: "'csrf_token'",
    becomes: "'mutant'",
    why: 'pages and routes share this constant, so any name works',
  },
  {
    file: 'src/base/addresses.ts',
    on: 'target.ip === undefined ?',
    was: 'target.ip === undefined',
    becomes: 'false',
    why: 'a value that is not text is not an IP address for `parse` either',
  },
  {
    file: 'src/base/addresses.ts',
    on: 'return [];',
    was: '[]',
    becomes: 'undefined',
    why: 'the address is then checked as a plain one, which is outside 2000::/3 and therefore not public',
  },
  {
    file: 'src/services/passports/auth/tokens.ts',
    on: "JOSENotSupported('crit')",
    was: "'crit'",
    becomes: "'mutant'",
    why: 'callers see that an error is thrown, not its message',
  },
  {
    file: 'src/services/passports/auth/tokens.ts',
    on: 'kid === undefined ?',
    was: 'kid === undefined',
    becomes: 'false',
    why: 'no key is named undefined',
  },
  {
    file: 'src/services/passports/auth/tokens.ts',
    on: 'bytes === undefined',
    was: 'bytes === undefined',
    becomes: 'false',
    why: 'without a key the library throws a TypeError, which is a refusal as well',
  },
  {
    file: 'src/services/passports/auth/tokens.ts',
    on: 'bytes === undefined',
    was: 'throw new errors.JWSSignatureVerificationFailed();',
    becomes: ';',
    why: 'without a key the library throws a TypeError, which is a refusal as well',
  },
];
