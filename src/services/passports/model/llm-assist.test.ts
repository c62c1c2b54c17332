import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../../base/log.ts';
import type { Job } from '../../shared/service.ts';
import type { Field } from '../extraction.ts';
import type { ReadPage } from '../page-geometry.ts';
import { loadSchema } from '../schema/load-schema.ts';
import { loadSettings } from '../settings.ts';
import { checkFields } from './field-network/extract-fields.ts';
import { createLlmAssist } from './llm-assist.ts';

const schema = loadSchema();
const job = { log: createLog('silent', 'test') } as unknown as Job;

/** A page of lines; letters are 6 pt wide and 10 pt high. */
function pageOf(...lines: string[]): ReadPage {
  const words = lines.flatMap((line, i) =>
    [...line.matchAll(/\S+/gu)].map(({ 0: text, index }) => ({
      ...{ text, confidence: null },
      box: [index / 100, (20 * i) / 800, (index + text.length) / 100, (20 * i + 10) / 800] as const,
    })),
  );
  return { page: 1, width: 600, height: 800, turn: 0, reader: 'text', rules: [], words };
}

/** Improves the fields with a model that selects words of the page by their text. */
async function improve(page: ReadPage, selected: Record<string, string>, unchecked: Record<string, Field> = {}) {
  const numberOf = (text: string) => page.words.findIndex((word) => word.text === text);
  const fields = Object.entries(selected).map(([key, text]) => ({ key, words: text.split(' ').map(numberOf) }));
  const message = { role: 'assistant', content: JSON.stringify({ fields }) };
  const server = createServer((_, response) => {
    const body = { id: '1', object: 'chat.completion', choices: [{ index: 0, message }] };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const assist = await createLlmAssist(
    loadSettings({ LLM_PROVIDER: 'openai', LLM_MODEL: 'm', LLM_BASE_URL: `http://127.0.0.1:${port}/v1` }),
  );
  const checked = checkFields(unchecked, [page], schema);
  const input = { ...checked, unchecked, pages: [page], schema, job };
  return { checked, improved: await assist.improveFields(input, new AbortController().signal) };
}

const area = (value: number, confidence: number): Field => ({
  ...{ value, confidence, source: 'text', page: 1 },
  ...{ bbox: [0, 0, 1, 1], text: String(value) },
});

describe('The language model', () => {
  it('adds values that the cross-checks compare with the others', async () => {
    const page = pageOf('Всего 80,1', 'Верно 54,3');
    const read = { 'areas:living_area': area(31.6, 0.9), 'areas:auxiliary_area': area(22.7, 0.9) };
    const wrong = await improve(page, { 'areas:total_area': '80,1' }, read);
    expect(wrong.checked.warnings).toEqual([]);
    expect(wrong.improved.warnings).toMatchObject([{ code: 'SUM_MISMATCH' }]);
    expect(wrong.improved.fields['areas:living_area']!.confidence).toBe(0.63);
    const right = await improve(page, { 'areas:total_area': '54,3' }, read);
    expect(right.improved.warnings).toEqual([]);
    expect(right.improved.fields['areas:living_area']!.confidence).toBeGreaterThan(0.9);
    expect(right.improved.fields['areas:total_area']).toMatchObject({ value: 54.3, confidence: null, source: 'model' });
  });

  it('replaces a doubtful value with one that agrees, and its warning', async () => {
    const page = pageOf('Всего 54,3');
    const read = {
      'areas:living_area': area(31.6, 0.9),
      'areas:auxiliary_area': area(22.7, 0.9),
      'areas:total_area': area(80.1, 0.5),
    };
    const { checked, improved } = await improve(page, { 'areas:total_area': '54,3' }, read);
    expect(checked.warnings).toMatchObject([{ code: 'SUM_MISMATCH' }]);
    expect(improved.warnings).toEqual([]);
    expect(improved.fields['areas:living_area']!.confidence).toBeGreaterThan(0.9);
  });

  it('selects words whose unit is in the label before them', async () => {
    const page = pageOf('Инвентаризационная стоимость, тыс. руб. 125,3');
    const { improved } = await improve(page, { 'general:inventory_value': '125,3' });
    expect(improved.fields['general:inventory_value']!.value).toBe(125_300);
  });

  it('selects dates that are read in the order of the others', async () => {
    const page = pageOf('Inspected 03/25/1987', 'Dated 03/04/1987');
    const { improved } = await improve(page, { 'general:issue_date': '03/04/1987' });
    expect(improved.fields['general:issue_date']!.value).toBe('1987-03-04');
  });

  it('selects the characters of a value in boxes, and no word that covers others', async () => {
    const boxes = [0, 1, 2, 3, 4].map((i) => [(100 + 14 * i) / 600, 0.1, (100 + 14 * i) / 600, 0.12] as const);
    const words = [...'1987'].map((text, i) => ({
      ...{ text, confidence: null },
      box: [(104 + 14 * i) / 600, 0.103, (110 + 14 * i) / 600, 0.113] as const,
    }));
    const boxed = { ...pageOf(), words, rules: boxes };
    const { improved } = await improve(boxed, { 'general:year_built': '1 9 8 7' });
    expect(improved.fields['general:year_built']!.value).toBe(1987);
    const stamp = { text: 'Stamp', confidence: null, box: [0.1, 0.2, 0.5, 0.4] as const };
    const owner = { text: 'Smithers', confidence: null, box: [0.26, 0.29, 0.34, 0.31] as const };
    const stamped = { ...pageOf(), words: [stamp, owner] };
    const { improved: covered } = await improve(stamped, { 'general:owner': 'Stamp' });
    expect(covered.fields['general:owner']!.value).toBe('Stamp');
  });
});
