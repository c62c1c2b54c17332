import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { plan } from '../plan.ts';
import { banner } from './banner.ts';

const CATALOG = { catalog: 'http://127.0.0.1:8004' };

/** What is told of a catalog whose tokens nobody has set, or that has these. */
async function told(env: Record<string, string> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'assay-banner-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const planned = await plan({ APP_ENV: 'local', SERVICES: 'catalog', DATA_DIR: dir, ...env }, 'start');
  return { text: banner(planned, CATALOG), env: planned.env };
}

it('tells in the local profile both tokens of the catalog: the page is the moderator’s, the other is named', async () => {
  const { text, env } = await told();
  const { REPORTS_API_TOKENS: reader, REPORTS_MODERATOR_TOKENS: moderator } = env;
  expect(reader).toMatch(/^assay-/);
  expect(text).toContain(`page       http://127.0.0.1:8004/login#token=${moderator}\n`);
  expect(text).toContain(`token      ${reader} (reader)\n`);
  const names = `ASSAY_CATALOG=http://127.0.0.1:8004 MODERATOR_TOKEN=${moderator} READER_TOKEN=${reader}`;
  expect(text).toContain(`shell      export ${names}\n`);
});

it('tells no token that it knows only by its digest', async () => {
  const { text } = await told({ REPORTS_API_TOKENS: `sha256:${'0'.repeat(64)}` });
  expect(text).not.toContain('(reader)');
  expect(text).not.toContain('READER_TOKEN=');
});
