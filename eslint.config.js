// Biome formats and lints; typescript-eslint is here only for what needs types: a lost promise is a lost task.
import tseslint from 'typescript-eslint';

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
      'no-restricted-syntax': [
        'error',
        {
          selector: 'MemberExpression[property.name="canParse"]',
          message: 'Use parsedUrl: Node 20 answers it wrongly.',
        },
      ],
    },
  },
  {
    // The environment is read once, by the command that was called; everything below is handed what it needs. What starts a
    // program of somebody else's hands on what that one must find.
    files: ['src/**'],
    ignores: ['src/commands/**', 'src/base/postgres/account.ts', '**/*.test.ts', '**/testing/**'],
    rules: {
      'no-restricted-properties': ['error', { object: 'process', property: 'env', message: 'Make it a setting.' }],
    },
  },
);
