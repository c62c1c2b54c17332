import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  createFormDocument,
  type FormDocument,
} from '../../../src/services/passports/model/templates/form-document.ts';
import { learnLesson } from '../../../src/services/passports/model/templates/learn-lesson.ts';
import { bestMatch, type Template } from '../../../src/services/passports/model/templates/match-templates.ts';
import { loadSchema } from '../../../src/services/passports/schema/load-schema.ts';
import { requireTool } from '../../support/require.ts';
import { readBlindForms } from './blind-forms.ts';
import { openBlindReader } from './blind-reading.ts';
import { confirm } from './confirm.ts';

// TEMPLATES_SETS=first,second selects sets of blind forms; TEMPLATES_CACHE=FOLDER keeps their pages.
const sets = (process.env['TEMPLATES_SETS'] ?? 'twentythird').split(',');
const keptCache = process.env['TEMPLATES_CACHE'];

/** The technical plan of the federal cadastre, drawn by three authors. */
const SAME_FORM = new Set(['third-t09', 'fourth-tekhplan', 'sixteenth-tech_plan']);

interface Form {
  readonly name: string;
  /** Learned from the first document. */
  readonly template: Template;
  readonly first: FormDocument;
  readonly second: FormDocument;
}

const schema = loadSchema();

async function readForms(): Promise<readonly Form[]> {
  const cache = keptCache ?? (await mkdtemp(join(tmpdir(), 'blind-forms-')));
  const reader = openBlindReader({ cache, ocr: 'system' });
  const forms: Form[] = [];
  try {
    for (const set of sets) {
      for (const form of await readBlindForms(fileURLToPath(new URL(`blind/${set}`, import.meta.url)))) {
        const name = `${set}-${form.name}`;
        const [first, second] = form.documents;
        const [firstPages, pages] = [await reader.read(name, first!, 'pdf'), await reader.read(name, second!, 'pdf')];
        const lesson = learnLesson(firstPages, confirm({}, first!.truth), schema);
        const template = { id: name, lessons: [lesson] };
        forms.push({ name, template, first: createFormDocument(firstPages), second: createFormDocument(pages) });
      }
    }
  } finally {
    await reader.close();
    if (keptCache === undefined) await rm(cache, { recursive: true });
  }
  return forms;
}

const isSameForm = (form: Form, other: Form): boolean =>
  form === other || (SAME_FORM.has(form.name) && SAME_FORM.has(other.name));

describe('Templates learned from blind forms', () => {
  it('match the second document of their own form, and no document of another one', async (context) => {
    requireTool('chromium', context);
    const forms = await readForms();
    const pairs = forms.flatMap((form) => forms.flatMap((other) => (isSameForm(form, other) ? [] : [{ form, other }])));
    const wrong = pairs.flatMap(({ form, other }) =>
      [other.first, other.second].flatMap((document) => {
        const match = bestMatch(document, [form.template]);
        return match ? [`${form.name} matches ${other.name} (${match.score.toFixed(2)})`] : [];
      }),
    );
    const templates = forms.map(({ template }) => template);
    const missed = forms.filter(({ name, second }) => bestMatch(second, templates)?.template.id !== name);
    const names = missed.map(({ name }) => name);
    console.log(`${pairs.length} pairs: ${wrong.length} wrong matches; ${forms.length} forms: not their own`, names);
    expect(wrong).toEqual([]);
    expect(missed.length).toBeLessThanOrEqual(0.1 * forms.length);
  }, 1_800_000);
});
