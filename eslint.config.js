// Biome formats and lints; typescript-eslint adds only the rules that need types.
import { readdirSync } from 'node:fs';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

const CAN_PARSE = {
  selector: 'MemberExpression[property.name="canParse"]',
  message: 'Use parsedUrl: canParse returns wrong results in Node 20.',
};

const SERVICES = readdirSync(new URL('src/services', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'shared')
  // Also in the singular.
  .map(({ name }) => name.replace(/s$/, 's?'));

/** Forbids the names of services in string literals: shared code takes services as arguments. */
const SERVICE_NAMES = ['Literal[value=NAME]', 'TemplateElement[value.raw=NAME]'].map((selector) => ({
  selector: selector.replace('NAME', `/(^|[^a-z])(${SERVICES.join('|')})($|[^a-z])/`),
  message: 'Shared code names no service: let the service supply this.',
}));

/** Node 20 collects a timeout signal that only `AbortSignal.any` refers to. */
const TIMEOUTS = {
  selector:
    ':matches(ArrayExpression, VariableDeclarator) > CallExpression[callee.object.name="AbortSignal"][callee.property.name="timeout"]',
  message: 'Use withTimeLimit: a timeout signal in AbortSignal.any never aborts after garbage collection.',
};

const REGULAR_EXPRESSIONS = [
  {
    selector: 'NewExpression[callee.name="RegExp"], CallExpression[callee.name="RegExp"]',
    message: 'Write a literal, which the linter can analyse.',
  },
  {
    selector: 'CallExpression[callee.property.name="normalize"][arguments.length=1]',
    message: 'Use composeCharacters: sorting many combining marks takes quadratic time.',
  },
];

export default tseslint.config(
  { ignores: ['dist', 'dist.*', 'node_modules', 'data', '**/*.js', '**/*.mjs', 'src/**/browser'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: { parser: tseslint.parser, parserOptions: { projectService: true } },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: false }],
      '@typescript-eslint/only-throw-error': 'error',
    },
  },
  {
    files: ['src/**'],
    ignores: ['src/conform/**'],
    rules: {
      'no-restricted-syntax': ['error', CAN_PARSE],
    },
  },
  {
    // A regular expression with more than linear time lets a short text block a process. `report: 'potential'` includes
    // expressions that are slow only as a part of another one; test/hostile/regular-expressions.full.test.ts adds a proof.
    files: ['src/**'],
    ignores: ['src/conform/**', '**/*.test.ts', '**/*.test.tsx'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false }],
      'no-restricted-syntax': ['error', CAN_PARSE, TIMEOUTS, ...REGULAR_EXPRESSIONS],
    },
  },
  {
    files: ['src/{base,tasks,http,roles,ui}/**', 'src/services/shared/**'],
    // A backup contains folders and tables of services.
    ignores: ['src/base/backup/*', '**/*.test.ts', '**/testing/**'],
    rules: {
      'no-restricted-syntax': ['error', CAN_PARSE, TIMEOUTS, ...REGULAR_EXPRESSIONS, ...SERVICE_NAMES],
    },
  },
  {
    // Only commands read the environment. Exceptions: some variables are passed on to PostgreSQL and npm.
    files: ['src/**'],
    ignores: [
      'src/commands/**',
      'src/base/postgres/server-account.ts',
      'src/ml/speech/install-package.ts',
      '**/*.test.ts',
    ],
    rules: {
      'no-restricted-properties': ['error', { object: 'process', property: 'env', message: 'Make it a setting.' }],
    },
  },
);
