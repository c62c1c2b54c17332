import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPage } from '../support/browser/open-page.ts';
import { ADMIN_KEY, createField, createPdf, type Passports, startPassports } from '../support/passports.ts';

const KIND = {
  type: 'enum',
  enum: [{ value: 'steam', label: { en: 'Steam boiler', ru: 'Паровой котёл' } }, 'water'],
};
const SCHEMA = {
  id: 'boiler',
  version: '1',
  title: { en: 'Boiler sheet', ru: 'Паспорт котла' },
  sections: [
    {
      key: 'unit',
      title: 'Unit',
      fields: [
        { key: 'gas', label: 'Gas fired', type: 'boolean' },
        { key: 'kind', label: 'Kind', ...KIND },
      ],
      table: {
        columns: [
          { key: 'part', label: 'Part', type: 'string' },
          { key: 'fuel', label: 'Fuel', ...KIND },
        ],
      },
    },
  ],
};

vi.setConfig({ testTimeout: 120_000 });

let folder: string;
let passports: Passports;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-schema-'));
  const file = join(folder, 'schema.json');
  await writeFile(file, JSON.stringify(SCHEMA));
  passports = await startPassports({ PASSPORTS_SCHEMA_FILE: file });
});
afterAll(async () => {
  await passports.stop();
  await rm(folder, { recursive: true });
});

describe('PASSPORTS_SCHEMA_FILE', () => {
  it('has truth values and choices that the page shows in words, also the extracted and earlier ones', async () => {
    const client = await passports.signIn();
    const [id] = await client.upload(createPdf('boiler.pdf'));
    await passports.succeed(id!, { fields: { 'unit:gas': createField(true), 'unit:kind': createField('steam') } });
    const form = { 'unit:gas': 'no', 'unit:kind': 'water' };
    await client.post(`/task/${id}/update`, { form, headers: { accept: 'application/json' } });
    const shown = async (language: string) => {
      const { text } = await client.get(`/task/${id}`, { 'accept-language': language });
      const lines = text.match(/(?:Extracted|Извлечено): [^<·"{]+|[^<>"]+ → [^<"{]+/g) ?? [];
      return lines.map((line) => line.replace(/^.*, /, '').trim()).sort();
    };
    expect(await shown('en')).toEqual([
      'Extracted: Steam boiler',
      'Extracted: yes',
      'Steam boiler → water',
      'yes → no',
    ]);
    expect(await shown('ru')).toEqual([
      'Извлечено: Паровой котёл',
      'Извлечено: да',
      'Паровой котёл → water',
      'да → нет',
    ]);
  });

  it('is named by the pages of documents that were extracted with another one', async () => {
    const client = await passports.signIn();
    const ids = await client.upload(createPdf('earlier.pdf'), createPdf('current.pdf'));
    await passports.succeed(ids[0]!, { schema: { id: 'boiler', version: '0' } });
    await passports.succeed(ids[1]!, { schema: { id: 'boiler', version: '1' } });
    const [earlier, current] = await Promise.all(
      ids.map((id) => client.get(`/task/${id}`, { 'accept-language': 'en' })),
    );
    const notice = 'extracted with another schema';
    expect(earlier!.text).toContain(`${notice}, boiler 0.`);
    expect(current!.text).not.toContain(`<p class="notice">This document was ${notice}`);
  });

  it('has choices that the page shows in words when another user has changed the document', {
    tags: ['full'],
  }, async (test) => {
    const { page } = await openPage(test, `${passports.url}/login#key=${ADMIN_KEY}`);
    await page.locator('#login button').click();
    await page.waitForURL(`${passports.url}/`);
    const buffer = Buffer.from(createPdf('a.pdf').bytes);
    await page.locator('#pdfs').setInputFiles({ name: 'a.pdf', mimeType: 'application/pdf', buffer });
    const id = (await page.locator('#documents li').getAttribute('data-id'))!;
    await passports.succeed(id, { fields: { 'unit:1.part': createField('Drum'), 'unit:2.part': createField('Pump') } });
    await page.goto(`${passports.url}/task/${id}`);
    const edit = async (form: Record<string, string>) => {
      const { token } = (await passports.signIn()) as { token: string };
      const answer = await page.request.post(`${passports.url}/task/${id}/update`, {
        form,
        headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      });
      expect(answer.status()).toBe(200);
    };
    const choose = async (key: string, choice: string) => {
      await page.locator(`[id="${key}"]`).focus();
      await page.locator(`[id="${key}"]`).selectOption(choice);
      await page.keyboard.press('Enter');
    };
    const until = (selector: string) => expect.poll(() => page.locator(selector).textContent(), { timeout: 60_000 });
    await edit({ 'unit:kind': 'steam' });
    await choose('unit:kind', 'water');
    await until('[data-field="unit:kind"] .problem').toBe(
      'Another user has saved “Steam boiler”. Press Enter to replace it with your value.',
    );
    await edit({ 'unit:1.part': '' });
    await choose('unit:1.fuel', 'steam');
    await until('#error').toContain('They are not saved: “Steam boiler”.');
  });
});
