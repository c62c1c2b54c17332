import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../config.ts';
import { banner } from './banner.ts';

const CATALOG = { catalog: 'http://127.0.0.1:8004' };

async function catalogBanner(env: Record<string, string> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'assay-banner-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const planned = await loadConfig({ APP_ENV: 'local', SERVICES: 'catalog', DATA_DIR: dir, ...env }, 'start');
  return { text: banner(planned, CATALOG), env: planned.env };
}

it('prints both catalog tokens in the local profile: the page link signs in as moderator, the reader token is labelled', async () => {
  const { text, env } = await catalogBanner();
  const { REPORTS_API_TOKENS: reader, REPORTS_MODERATOR_TOKENS: moderator } = env;
  expect(reader).toMatch(/^assay-/);
  expect(text).toContain(`page       http://127.0.0.1:8004/login#token=${moderator}\n`);
  expect(text).toContain(`token      ${reader} (reader)\n`);
  const names = `ASSAY_CATALOG=http://127.0.0.1:8004 MODERATOR_TOKEN=${moderator} READER_TOKEN=${reader}`;
  expect(text).toContain(`shell      export ${names}\n`);
});

it('prints no token that is configured as a digest', async () => {
  const { text } = await catalogBanner({ REPORTS_API_TOKENS: `sha256:${'0'.repeat(64)}` });
  expect(text).not.toContain('(reader)');
  expect(text).not.toContain('READER_TOKEN=');
});
