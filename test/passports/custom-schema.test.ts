import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createField, createPdf, type Passports, startPassports } from '../support/passports.ts';

const KIND = {
  type: 'enum',
  enum: [{ value: 'steam', label: { en: 'Steam boiler', ru: 'Паровой котёл' } }, 'water'],
};
const SCHEMA = {
  id: 'boiler',
  version: '1',
  sections: [
    {
      key: 'unit',
      title: 'Unit',
      fields: [
        { key: 'gas', label: 'Gas fired', type: 'boolean' },
        { key: 'kind', label: 'Kind', ...KIND },
      ],
    },
  ],
};

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
});
