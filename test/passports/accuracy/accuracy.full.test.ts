import { afterAll, describe, expect, it } from 'vitest';
import { bundledFile } from '../../../src/services/passports/model/bundled-file.ts';
import { openFieldFinder } from '../../../src/services/passports/model/field-finder.ts';
import { loadSchema } from '../../../src/services/passports/schema/load-schema.ts';
import { requireTool } from '../../support/require.ts';
import { type Accuracy, compareFields, sumShares } from './compare.ts';
import { generatePassport } from './documents.ts';
import type { FormLayout } from './layout.ts';
import { LAYOUTS } from './layouts/index.ts';
import { type Kind, openDocumentReader } from './reading.ts';

// `node bench/documents-accuracy.mjs` runs all layouts; CI runs all as PDF and a few as scans and photos.
const seeds = (process.env['DOCUMENTS_SEEDS'] ?? '1').split(',').map(Number);
const runAll = process.env['DOCUMENTS'] === 'all';
const QUICK = new Set(['four-columns', 'house-outbuildings', 'boxed']);

// Slightly below the measured accuracy, in percent.
const MIN_ACCURACY: Record<Kind, { values: number; cells: number }> = {
  pdf: { values: 98, cells: 98 },
  scan: { values: 92, cells: 95 },
  photo: { values: 90, cells: 95 },
};

const schema = loadSchema();
const reader = openDocumentReader(process.env['DOCUMENTS_OCR'] === 'registry' ? { tesseract: 'none' } : {});
const finder = await openFieldFinder(schema, { network: await bundledFile('fields.onnx') });
const { signal } = new AbortController();
const table: Record<string, Record<string, string>> = {};
afterAll(async () => {
  await Promise.all([reader.close(), finder.close()]);
  if (runAll) console.table(table);
});

async function measure(layout: FormLayout, kind: Kind): Promise<Accuracy> {
  const shares: Accuracy[] = [];
  for (const seed of seeds) {
    const made = await generatePassport(layout, seed);
    const { fields } = await finder.find(await reader.read(made, kind, seed), signal);
    shares.push(compareFields(fields, made.truth));
  }
  return sumShares(shares);
}

const percent = (found: number, all: number): number => (all === 0 ? 100 : (100 * found) / all);
const formatShare = (found: number, all: number): string => `${found}/${all} ${percent(found, all).toFixed(1)} %`;

function addRow(name: string, kind: Kind, { values, valuesFound, cells, cellsFound }: Accuracy): void {
  const row = {
    [`${kind} values`]: formatShare(valuesFound, values),
    [`${kind} cells`]: formatShare(cellsFound, cells),
  };
  table[name] = { ...table[name], ...row };
}

describe.each(['pdf', 'scan', 'photo'] as const)('field extraction from generated passports (%s)', (kind) => {
  it('reaches the minimum accuracy for values and cells', {
    timeout: runAll ? 3_600_000 : 120_000,
  }, async (context) => {
    if (kind !== 'pdf' && !runAll) requireTool('tesseract', context);
    const shares: (Accuracy & { afterRules: boolean })[] = [];
    for (const layout of LAYOUTS) {
      if (kind !== 'pdf' && !runAll && !QUICK.has(layout.name)) continue;
      const share = await measure(layout, kind);
      shares.push({ ...share, afterRules: layout.afterRules });
      addRow(`${layout.afterRules ? 'after: ' : ''}${layout.name}`, kind, share);
    }
    for (const afterRules of [false, true]) {
      addRow(
        afterRules ? 'ALL after the rules' : 'ALL tuned on',
        kind,
        sumShares(shares.filter((one) => one.afterRules === afterRules)),
      );
    }
    const all = sumShares(shares);
    const minimum = MIN_ACCURACY[kind];
    expect(percent(all.valuesFound, all.values), all.wrong.join('\n')).toBeGreaterThanOrEqual(minimum.values);
    expect(percent(all.cellsFound, all.cells), all.wrong.join('\n')).toBeGreaterThanOrEqual(minimum.cells);
  });
});
