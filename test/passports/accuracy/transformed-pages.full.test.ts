import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { degrees, PDFDocument } from '@cantoo/pdf-lib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { applyTemplates } from '../../../src/services/passports/model/templates/apply-template.ts';
import { learnLesson } from '../../../src/services/passports/model/templates/learn-lesson.ts';
import type { Template } from '../../../src/services/passports/model/templates/match-templates.ts';
import { type Box, boxAround, type ReadPage, type Word } from '../../../src/services/passports/page-geometry.ts';
import { loadSchema } from '../../../src/services/passports/schema/load-schema.ts';
import { requireTool } from '../../support/require.ts';
import { compareFields } from './compare.ts';
import { confirm } from './confirm.ts';
import { type GeneratedDocument, generatePassport } from './documents.ts';
import { LAYOUTS } from './layouts/index.ts';
import { openDocumentReader } from './reading.ts';

const schema = loadSchema();
const reader = openDocumentReader();

interface Form {
  readonly template: Template;
  readonly second: GeneratedDocument;
  readonly pages: readonly ReadPage[];
}
/** A ruled table of rooms, boxes of single characters, leaders; the last form has two pages. */
const NAMES = ['card', 'boxed', 'dotted-leaders', 'house-old'];
const forms = new Map<string, Form>();
beforeAll(async () => {
  for (const name of NAMES) {
    const layout = LAYOUTS.find((one) => one.name === name)!;
    const [first, second] = [await generatePassport(layout, 1), await generatePassport(layout, 2)];
    const lesson = learnLesson(await reader.read(first, 'pdf', 1), confirm({}, first.truth), schema);
    const pages = await reader.read(second, 'pdf', 2);
    forms.set(name, { template: { id: name, lessons: [lesson] }, second, pages });
  }
});
afterAll(() => reader.close());

type Point = readonly [x: number, y: number];
type Transformation = (point: Point, page: ReadPage) => Point;

/** Rotates around the middle of the page, by degrees, scales and shifts by points. */
const turned =
  (angle: number, { scale = 1, shift = [0, 0] }: { scale?: number; shift?: Point } = {}): Transformation =>
  ([x, y], { width, height }) => {
    const [sin, cos] = [Math.sin((angle * Math.PI) / 180), Math.cos((angle * Math.PI) / 180)];
    const [dx, dy] = [scale * (x - width / 2), scale * (y - height / 2)];
    return [width / 2 + cos * dx - sin * dy + shift[0], height / 2 + sin * dx + cos * dy + shift[1]];
  };

/** Moves words and rules; a rule stays horizontal or vertical, as the reader returns it. */
function transform(page: ReadPage, transformation: Transformation): ReadPage {
  const { width, height } = page;
  const move = ([x0, y0, x1, y1]: Box): Box => {
    const corners = [
      [x0, y0],
      [x1, y0],
      [x1, y1],
      [x0, y1],
    ] as const;
    const [left, top, right, bottom] = boxAround(
      corners.map(([x, y]) => transformation([x * width, y * height], page)),
    );
    return [left / width, top / height, right / width, bottom / height];
  };
  const rules = page.rules.map((rule): Box => {
    const [x0, y0, x1, y1] = move(rule);
    const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
    return (x1 - x0) * width > (y1 - y0) * height ? [x0, y, x1, y] : [x, y0, x, y1];
  });
  return { ...page, words: page.words.map((word) => ({ ...word, box: move(word.box) })), rules };
}

const CONFUSED: Readonly<Record<string, string>> = { и: 'н', н: 'п', п: 'л', о: 'с', е: 'с', а: 'я', в: 'з', т: 'г' };

/** Misreads a letter in every fifth word of the form, and none in a value. */
function misread(page: ReadPage, { truth }: GeneratedDocument): ReadPage {
  const values = Object.values(truth.values).join(' ').toLowerCase();
  let count = 0;
  const words = page.words.map((word): Word => {
    const { text } = word;
    const at = [...text].findIndex((letter, i) => i > 0 && CONFUSED[letter]);
    if (at < 0 || text.length < 5 || values.includes(text.toLowerCase()) || ++count % 5 > 0) return word;
    return { ...word, text: text.slice(0, at) + CONFUSED[text[at]!] + text.slice(at + 1) };
  });
  return { ...page, words };
}

function read({ template, second }: Form, pages: readonly ReadPage[]) {
  const applied = applyTemplates(pages, {}, [template], schema);
  return { score: applied.template?.score, ...compareFields(applied.fields, second.truth) };
}

/** A value beside a misread label may be missing or contain the label. */
const MAX_WRONG = 1;

describe.each(NAMES)('A template of the form %s', (name) => {
  const readTransformed = (transformation: Transformation) => {
    const form = forms.get(name)!;
    return read(
      form,
      form.pages.map((page) => transform(misread(page, form.second), transformation)),
    );
  };

  // OCR levels a scan before it reads the words.
  it.each([
    ['turned by 0.25° and reduced', turned(0.25, { scale: 0.8, shift: [40, -30] })],
    ['turned by -0.25° and enlarged', turned(-0.25, { scale: 1.25, shift: [-30, 40] })],
  ])('reads a page with misread labels that is %s', (_, transformation) => {
    const { score, cells, cellsFound, values, valuesFound, wrong } = readTransformed(transformation);
    expect(score).toBeGreaterThan(0.8);
    expect(cellsFound, wrong.join('\n')).toBe(cells);
    expect(valuesFound, wrong.join('\n')).toBeGreaterThanOrEqual(values - MAX_WRONG);
  });

  it.each([-2, 2])('matches a page with misread labels that is turned by %i°', (angle) => {
    expect(readTransformed(turned(angle)).score).toBeGreaterThan(0.6);
  });

  it.each<[string, Transformation]>([
    ['mirrored', ([x, y], { width }) => [width - x, y]],
    ['upside down', turned(180)],
    ['turned by 90°', turned(90)],
    ['in the order from bottom to top', ([x, y], { height }) => [x, height - y]],
  ])('does not match a page whose words are %s', (_, transformation) => {
    const form = forms.get(name)!;
    const pages = form.pages.map((page) => transform(page, transformation));
    expect(read(form, pages)).toMatchObject({ score: undefined, valuesFound: 0, cellsFound: 0 });
  });
});

it('A template reads a page that lay crooked and reduced on the scanner', async (context) => {
  requireTool('tesseract', context);
  const form = forms.get('card')!;
  const pdf = await PDFDocument.create();
  const [page] = await pdf.embedPdf(form.second.pdf);
  pdf.addPage([595, 842]).drawPage(page!, { x: 60, y: 30, xScale: 0.9, yScale: 0.9, rotate: degrees(3.5) });
  const folder = await mkdtemp(join(tmpdir(), 'crooked-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'crooked.pdf');
  await writeFile(path, await pdf.save());
  const { score, wrong } = read(form, await reader.readPdf(path, 'scan', 2));
  expect(wrong).toEqual([]);
  expect(score).toBeGreaterThan(0.9);
});
