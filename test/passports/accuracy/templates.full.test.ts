import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Field } from '../../../src/services/passports/extraction.ts';
import { bundledFile } from '../../../src/services/passports/model/bundled-file.ts';
import { openFieldFinder } from '../../../src/services/passports/model/field-finder.ts';
import { applyTemplates } from '../../../src/services/passports/model/templates/apply-template.ts';
import { learnLesson } from '../../../src/services/passports/model/templates/learn-lesson.ts';
import type { Template } from '../../../src/services/passports/model/templates/match-templates.ts';
import type { ReadPage } from '../../../src/services/passports/page-geometry.ts';
import { loadSchema } from '../../../src/services/passports/schema/load-schema.ts';
import { type Accuracy, compareFields, sumShares } from './compare.ts';
import { confirm } from './confirm.ts';
import { generatePassport } from './documents.ts';
import type { Truth } from './layout.ts';
import { LAYOUTS } from './layouts/index.ts';
import { type Kind, openDocumentReader } from './reading.ts';

// TEMPLATES_KIND=scan or photo measures OCR, which takes minutes; TEMPLATES_LAYOUTS=boxed,card selects layouts.
const kind = (process.env['TEMPLATES_KIND'] ?? 'pdf') as Kind;
const selected = process.env['TEMPLATES_LAYOUTS']?.split(',');
const layouts = LAYOUTS.filter(({ name }) => selected?.includes(name) ?? true);

/** Slightly below the measured accuracy, in percent, without any help of the reader. */
const MIN_ALONE: Record<Kind, { values: number; cells: number }> = {
  pdf: { values: 98, cells: 99 },
  scan: { values: 92, cells: 95 },
  photo: { values: 90, cells: 90 },
};

const schema = loadSchema();
const reader = openDocumentReader();
const finder = await openFieldFinder(schema, { network: await bundledFile('fields.onnx') });
const { signal } = new AbortController();
afterAll(() => Promise.all([reader.close(), finder.close()]));

interface Measured {
  readonly name: string;
  readonly pages: readonly ReadPage[];
  readonly truth: Truth;
  readonly before: Record<string, Field>;
  /** Learned from another document of the layout: with the reader's fields, and with none. */
  readonly template: Template;
  readonly blankTemplate: Template;
}

const measured: Measured[] = [];
beforeAll(async () => {
  for (const layout of layouts) {
    const [first, second] = [await generatePassport(layout, 1), await generatePassport(layout, 2)];
    const firstPages = await reader.read(first, kind, 1);
    const pages = await reader.read(second, kind, 2);
    const learn = (fields: Record<string, Field>): Template => ({
      id: layout.name,
      lessons: [learnLesson(firstPages, confirm(fields, first.truth), schema)],
    });
    measured.push({
      ...{ name: layout.name, pages, truth: second.truth },
      before: (await finder.find(pages, signal)).fields,
      template: learn((await finder.find(firstPages, signal)).fields),
      blankTemplate: learn({}),
    });
  }
}, 3_600_000);

const percent = ({ values, valuesFound, cells, cellsFound }: Accuracy) => ({
  values: Math.round((1000 * valuesFound) / values) / 10,
  cells: Math.round((1000 * cellsFound) / cells) / 10,
});

describe(`Templates learned from one document per layout (${kind})`, () => {
  it('read the second document without any field of the reader', () => {
    const shares = measured.map(({ pages, truth, blankTemplate }) =>
      compareFields(applyTemplates(pages, {}, [blankTemplate], schema).fields, truth),
    );
    const all = sumShares(shares);
    console.log(kind, 'template alone', percent(all));
    expect(percent(all).values, all.wrong.join('\n')).toBeGreaterThanOrEqual(MIN_ALONE[kind].values);
    expect(percent(all).cells, all.wrong.join('\n')).toBeGreaterThanOrEqual(MIN_ALONE[kind].cells);
  });

  it('lose no value and no cell that the reader finds', () => {
    const before = sumShares(measured.map((one) => compareFields(one.before, one.truth)));
    const after = sumShares(
      measured.map(({ pages, before: fields, truth, template }) =>
        compareFields(applyTemplates(pages, fields, [template], schema).fields, truth),
      ),
    );
    console.log(kind, 'reader', percent(before), 'reader and template', percent(after));
    expect(after.valuesFound, after.wrong.join('\n')).toBeGreaterThanOrEqual(before.valuesFound);
    expect(after.cellsFound, after.wrong.join('\n')).toBeGreaterThanOrEqual(before.cellsFound);
  });

  it('match no document of another layout', () => {
    const matches = measured.flatMap(({ name, pages }) =>
      measured.flatMap((other) =>
        other.name !== name && applyTemplates(pages, {}, [other.template], schema).template
          ? [`${name} with ${other.name}`]
          : [],
      ),
    );
    expect(matches).toEqual([]);
  });
});
