import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settingsDocument } from './config.ts';

it('docs/configuration.md is the output of `assay config --markdown`', () => {
  const document = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  expect(document).toBe(`${settingsDocument()}\n`);
});
