import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundledFile } from '../../../src/services/passports/model/bundled-file.ts';
import { openFieldFinder } from '../../../src/services/passports/model/field-finder.ts';
import type { Template } from '../../../src/services/passports/model/templates/match-templates.ts';
import type { ReadPage } from '../../../src/services/passports/page-geometry.ts';
import { loadSchema } from '../../../src/services/passports/schema/load-schema.ts';
import { type BlindDocument, type BlindForm, readBlindForms } from './blind-forms.ts';
import { type Ocr, openBlindReader } from './blind-reading.ts';
import { type Accuracy, compareFields, sumShares } from './compare.ts';
import { type Band, bandFrom, countBands, sumBands } from './confidence-bands.ts';
import { confirm } from './confirm.ts';
import { readDocumentFolder } from './document-folder.ts';

// Measures the forms of blind/: `node bench/documents-accuracy.mjs blind` describes the arguments.
const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    kinds: { type: 'string' },
    ocr: { type: 'string', default: 'system' },
    cache: { type: 'string' },
    network: { type: 'string' },
    wrong: { type: 'boolean', default: false },
  },
});
const [name = 'first'] = positionals;
const folder = /^\w+$/u.test(name) ? fileURLToPath(new URL(`blind/${name}`, import.meta.url)) : name;
const allForms = await (existsSync(join(folder, 'truth')) ? readDocumentFolder(folder) : readBlindForms(folder));
const fileKinds = new Set(
  allForms.flatMap(({ documents }) => documents.flatMap(({ files }) => [...(files?.keys() ?? [])])),
);
const kinds = options.kinds?.split(',') ?? (fileKinds.size > 0 ? [...fileKinds] : ['pdf', 'scan', 'photo']);
const cache = options.cache ?? (await mkdtemp(join(tmpdir(), 'blind-forms-')));
const reader = openBlindReader({ cache, ocr: options.ocr as Ocr });
const finder = await openFieldFinder(loadSchema(), { network: options.network ?? (await bundledFile('fields.onnx')) });
const { signal } = new AbortController();

interface Sight {
  readonly accuracy: Accuracy;
  readonly bands: readonly Band[];
}

async function measure(kind: string): Promise<void> {
  const forms = allForms
    .map(({ name, documents }) => ({
      name,
      documents: documents.filter(({ files }) => files === undefined || files.has(kind)),
    }))
    .filter(({ documents }) => documents.length > 0);
  const first: Sight[][] = [];
  const lessons: Template[] = [];
  const later: { form: number; document: BlindDocument; pages: ReadPage[] }[] = [];
  for (const [i, form] of forms.entries()) {
    const sights: Sight[] = [];
    for (const document of form.documents) {
      const pages = await reader.read(form.name, document, kind);
      const { fields } = await finder.find(pages, signal);
      sights.push(compare(fields, document));
      if (document.number > 1) later.push({ form: i, document, pages });
      else lessons.push(await learn(form, pages, fields, document));
    }
    first.push(sights);
  }
  const second: Sight[][] = forms.map(() => []);
  const matched: string[][] = forms.map(() => []);
  for (const { form, document, pages } of later) {
    // All templates, so that a match with another form counts.
    const { fields, template } = await finder.find(pages, signal, lessons);
    second[form]!.push(compare(fields, document));
    matched[form]!.push(template?.id ?? 'none');
  }
  report(kind, forms, { first, second, matched });
}

type Fields = Parameters<typeof confirm>[0];

const compare = (fields: Fields, { truth }: BlindDocument): Sight => ({
  accuracy: compareFields(fields, truth),
  bands: countBands(fields, truth),
});

async function learn(
  { name }: BlindForm,
  pages: ReadPage[],
  fields: Fields,
  { truth }: BlindDocument,
): Promise<Template> {
  const { lesson } = await finder.learn({ pages, values: confirm(fields, truth), templates: [] }, signal);
  return { id: name, lessons: lesson ? [lesson] : [] };
}

interface Measured {
  readonly first: readonly Sight[][];
  readonly second: readonly Sight[][];
  /** Names of the forms whose templates the later documents match. */
  readonly matched: readonly string[][];
}

function report(kind: string, forms: readonly BlindForm[], { first, second, matched }: Measured): void {
  const row = (sights: readonly Sight[], again: readonly Sight[], template: string) => ({
    ...describe(sights, 'first'),
    ...describe(again, 'second'),
    template,
  });
  const table = Object.fromEntries(
    forms.map(({ name }, i) => {
      const templates = new Set(matched[i]!.map((one) => (one === name ? 'own' : one)));
      return [name, row(first[i]!, second[i]!, [...templates].join())];
    }),
  );
  const own = forms.flatMap(({ name }, i) => matched[i]!.filter((one) => one === name)).length;
  console.log(`\n${kind}: ${forms.length} forms of ${name}`);
  console.table({ ...table, ALL: row(first.flat(), second.flat(), `${own} own`) });
  console.table({
    'first sight': describeBands(first.flat()),
    'second sight': describeBands(second.flat()),
  });
  if (!options.wrong) return;
  for (const [i, form] of forms.entries()) {
    for (const [at, { accuracy }] of first[i]!.entries()) list(`${form.name} ${at + 1}, first sight`, accuracy);
    for (const [at, { accuracy }] of second[i]!.entries()) list(`${form.name} ${at + 2}, second sight`, accuracy);
  }
}

function list(title: string, { wrong }: Accuracy): void {
  if (wrong.length > 0) console.log(`${title}\n  ${wrong.join('\n  ')}`);
}

const share = (part: number, all: number): string => (all === 0 ? '' : ((100 * part) / all).toFixed(1));

/** Precision and share of the printed values: at confidence 0.95 and above. */
function describe(sights: readonly Sight[], title: string): Record<string, string> {
  const { values, valuesFound, cells, cellsFound } = sumShares(sights.map(({ accuracy }) => accuracy));
  const { read, right } = bandFrom(sumBands(sights.map(({ bands }) => bands)), 0.95);
  return {
    [`${title} values`]: `${valuesFound}/${values} ${share(valuesFound, values)} %`,
    [`${title} cells`]: `${cellsFound}/${cells} ${share(cellsFound, cells)} %`,
    [`${title} precision`]: share(right, read),
    [`${title} share`]: share(right, values),
  };
}

/** Right values of those read, by confidence. */
const describeBands = (sights: readonly Sight[]): Record<string, string> =>
  Object.fromEntries(
    sumBands(sights.map(({ bands }) => bands)).map(({ from, read, right }) => [
      from === 0 ? 'below' : `from ${from}`,
      `${right}/${read} ${share(right, read)}`,
    ]),
  );

try {
  for (const kind of kinds) await measure(kind);
} finally {
  await Promise.all([reader.close(), finder.close()]);
  if (options.cache === undefined) await rm(cache, { recursive: true });
}
