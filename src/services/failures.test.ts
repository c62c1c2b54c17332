import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAILURES as TASK_FAILURES } from '../tasks/task.ts';
import * as defectoscopy from './defectoscopy/failures.ts';
import * as stt from './stt/failures.ts';

const sectionOf = (document: string, heading: string) =>
  readFileSync(new URL(`../../docs/${document}`, import.meta.url), 'utf8')
    .split(/^## /m)
    .find((section) => section.startsWith(`${heading}\n`));

describe.each([
  { service: 'defectoscopy', failures: defectoscopy, specification: 'Defectoscopy', guide: 'Errors' },
  { service: 'stt', failures: stt, specification: 'Speech to text', guide: 'Speech to text' },
])('Each failure code of $service', ({ failures: { FAILURES, failureTexts }, specification, guide }) => {
  const codes = [...new Set([...Object.values(FAILURES), ...Object.values(TASK_FAILURES)].map(({ code }) => code))];

  it('has a Russian text', () => {
    expect(Object.keys(failureTexts.ru)).toEqual(expect.arrayContaining(codes));
  });

  it.each([
    ['specification.md', specification],
    ['api.md', guide],
  ])('is in docs/%s', (document, heading) => {
    const section = sectionOf(document, heading);
    expect(codes.filter((code) => !section?.includes(`\`${code}\``))).toEqual([]);
  });
});
