import { afterAll, describe, expect, it } from 'vitest';
import { needs } from '../../src/base/testing/require.ts';
import { extractFields } from '../../src/services/passports/model/fields/extract.ts';
import { loadSchema } from '../../src/services/passports/schema/load-schema.ts';
import { compared, type Share, together } from './compare.ts';
import { passport } from './documents.ts';
import type { FormLayout } from './layout.ts';
import { LAYOUTS } from './layouts/index.ts';
import { type Kind, openDocumentReader } from './reading.ts';

// `node bench/documents-accuracy.mjs` runs this file over everything; CI over what is quick and tells most.
const seeds = (process.env['DOCUMENTS_SEEDS'] ?? '1').split(',').map(Number);
const everything = process.env['DOCUMENTS'] === 'all';
const QUICK = new Set(['four-columns', 'house-outbuildings', 'boxed']);

// Just under what is reached, in per cent.
const LEAST: Record<Kind, { values: number; cells: number }> = {
  pdf: { values: 98, cells: 98 },
  scan: { values: 92, cells: 95 },
  photo: { values: 90, cells: 95 },
};
// The OCR of the registry takes the 3 of PT Sans, in which these layouts are set, for a 5.
const REGISTRY_LOSES = { values: 15, cells: 25 };

const schema = loadSchema();
const own = process.env['DOCUMENTS_OCR'] === 'registry';
const reader = openDocumentReader(own ? { tesseract: 'none' } : {});
const table: Record<string, Record<string, string>> = {};
afterAll(async () => {
  await reader.close();
  if (everything) console.table(table);
});

async function shareOf(layout: FormLayout, kind: Kind): Promise<Share> {
  const shares: Share[] = [];
  for (const seed of seeds) {
    const made = await passport(layout, seed);
    const { fields } = extractFields(await reader.read(made, kind, seed), schema);
    shares.push(compared(fields, made.truth));
  }
  return together(shares);
}

const percent = (found: number, all: number): number => (all === 0 ? 100 : (100 * found) / all);
const said = (found: number, all: number): string => `${found}/${all} ${percent(found, all).toFixed(1)} %`;

function tell(name: string, kind: Kind, { values, valuesFound, cells, cellsFound }: Share): void {
  const row = { [`${kind} values`]: said(valuesFound, values), [`${kind} cells`]: said(cellsFound, cells) };
  table[name] = { ...table[name], ...row };
}

describe.each(['pdf', 'scan', 'photo'] as const)('passports of other layouts, as %s', (kind) => {
  it('give nearly all of their values and cells', { timeout: everything ? 3_600_000 : 120_000 }, async (context) => {
    if (kind !== 'pdf' && !everything) needs('tesseract', context);
    const shares: (Share & { afterRules: boolean })[] = [];
    for (const layout of LAYOUTS) {
      if (kind !== 'pdf' && !everything && !QUICK.has(layout.name)) continue;
      const share = await shareOf(layout, kind);
      shares.push({ ...share, afterRules: layout.afterRules });
      tell(`${layout.afterRules ? 'after: ' : ''}${layout.name}`, kind, share);
    }
    for (const afterRules of [false, true]) {
      tell(
        afterRules ? 'ALL after the rules' : 'ALL tuned on',
        kind,
        together(shares.filter((one) => one.afterRules === afterRules)),
      );
    }
    const all = together(shares);
    const less = own && kind !== 'pdf' ? REGISTRY_LOSES : { values: 0, cells: 0 };
    const least = { values: LEAST[kind].values - less.values, cells: LEAST[kind].cells - less.cells };
    expect(percent(all.valuesFound, all.values), all.wrong.join('\n')).toBeGreaterThanOrEqual(least.values);
    expect(percent(all.cellsFound, all.cells), all.wrong.join('\n')).toBeGreaterThanOrEqual(least.cells);
  });
});
