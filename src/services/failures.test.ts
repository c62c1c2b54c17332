import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAILURES as TASK_FAILURES } from '../tasks/task.ts';
import * as defectoscopy from './defectoscopy/failures.ts';
import * as passports from './passports/failures.ts';
import * as stt from './stt/failures.ts';

const sectionOf = (document: string, heading: string) =>
  readFileSync(new URL(`../../docs/${document}`, import.meta.url), 'utf8')
    .split(/^## /m)
    .find((section) => section.startsWith(`${heading}\n`));

const codesOf = (failures: Readonly<Record<string, { code: string }>>) => [
  ...new Set([...Object.values(failures), ...Object.values(TASK_FAILURES)].map(({ code }) => code)),
];
const SERVICES = [
  {
    service: 'defectoscopy',
    codes: codesOf(defectoscopy.FAILURES),
    texts: defectoscopy.failureTexts.ru,
    sections: { 'specification.md': 'Defectoscopy', 'api.md': 'Errors' },
  },
  {
    service: 'stt',
    codes: codesOf(stt.FAILURES),
    texts: stt.failureTexts.ru,
    sections: { 'specification.md': 'Speech to text', 'api.md': 'Speech to text' },
  },
  {
    service: 'passports',
    codes: passports.ERROR_TYPES,
    texts: passports.failureTexts.ru,
    sections: { 'specification.md': 'Passports', 'passports.md': 'States' },
  },
];

it('The failure codes of every service are compared with the documentation', () => {
  const folders = readdirSync(new URL('./', import.meta.url)).filter((name) =>
    existsSync(new URL(`${name}/failures.ts`, import.meta.url)),
  );
  expect(SERVICES.map(({ service }) => service).toSorted()).toEqual(folders.toSorted());
});

describe.each(SERVICES)('Each failure code of $service', ({ codes, texts, sections }) => {
  it('has a Russian text', () => {
    expect(Object.keys(texts)).toEqual(expect.arrayContaining([...codes]));
  });

  it.each(Object.entries(sections))('is in docs/%s', (document, heading) => {
    const section = sectionOf(document, heading);
    expect(codes.filter((code) => !section?.includes(`\`${code}\``))).toEqual([]);
  });
});
