/**
 * Changes that change nothing, each with the reason: `on` is a part of the line that it is made on.
 *
 * @type {readonly { file: string, on: string, was: string, becomes: string, why: string }[]}
 */
export const EQUIVALENT = [
  {
    file: 'src/http/csrf.ts',
    on: 'CSRF_FIELD',
    was: "'csrf_token'",
    becomes: "'mutant'",
    why: 'pages write the name and routes read it from this one place: any name does',
  },
  {
    file: 'src/base/addresses.ts',
    on: 'target.ip === undefined ?',
    was: 'target.ip === undefined',
    becomes: 'false',
    why: 'what is no text is no IP address either: `parse` says the same of it',
  },
  {
    file: 'src/base/addresses.ts',
    on: 'return [];',
    was: '[]',
    becomes: 'undefined',
    why: 'what is then judged as a plain address lies outside 2000::/3, and is not public either',
  },
  {
    file: 'src/services/passports/auth/tokens.ts',
    on: "JOSENotSupported('crit')",
    was: "'crit'",
    becomes: "'mutant'",
    why: 'only that it is thrown is seen, not what it says',
  },
  {
    file: 'src/services/passports/auth/tokens.ts',
    on: 'kid === undefined ?',
    was: 'kid === undefined',
    becomes: 'false',
    why: 'no key has the name undefined',
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
