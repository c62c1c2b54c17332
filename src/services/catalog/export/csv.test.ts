import { describe, expect, it } from 'vitest';
import type { ExportedRecord } from '../search/search-types.ts';
import { csv } from './formats.ts';

const record = (title: string): ExportedRecord => ({
  ...{
    recordId: 'a',
    service: 'import',
    taskId: null,
    status: 'done',
    failure: null,
    createdAt: new Date(0),
    surface: null,
    project: null,
    tags: [],
  },
  ...{ title, text: '', master: { name: 'x', conf: -0.5 }, defects: [], image: null, openReports: 0, hidden: false },
  result: {},
});

async function* records(...titles: string[]) {
  for (const title of titles) yield record(title);
}

async function lines(...titles: string[]): Promise<string[]> {
  const pieces: Buffer[] = [];
  for await (const piece of csv(records(...titles))) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8').split('\r\n');
}

describe('the CSV export', () => {
  it('is UTF-8 with a byte order mark and has a header', async () => {
    expect(await lines()).toEqual([
      expect.stringMatching(/^\uFEFFrecord_id,service,task_id,status,created_at,title,/),
      '',
    ]);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+7 999', "'+7 999"],
    ['-a', "'-a"],
    ['@x', "'@x"],
    ['\tx', "'\tx"],
    ['\rx', `"'\rx"`],
    ['=1,"2"', `"'=1,""2"""`],
    ['-7', '-7'],
    ['+3.5e-5', '+3.5e-5'],
    ['-', "'-"],
    ['a=1', 'a=1'],
    // Cell starts in other programs and locales.
    ['a;=1+1;b', "a;'=1+1;b"],
    ['a;"=1+1', `"a;""'=1+1"`],
    ['a\n=1+1', `"a\n'=1+1"`],
    ['\t=1', "'\t'=1"],
    ['a; b = c - d', 'a; b = c - d'],
    ['a,b', '"a,b"'],
    ['two\nlines', '"two\nlines"'],
  ])('writes %j as %j', async (title, written) => {
    const [, line] = await lines(title);
    expect(line).toBe(`a,import,,done,1970-01-01T00:00:00.000Z,${written},,x,-0.5,,,0,false,,{},,`);
  });

  it('closes its source when the consumer stops reading', async () => {
    let ended = false;
    async function* source() {
      try {
        for (;;) yield record('a');
      } finally {
        ended = true;
      }
    }
    for await (const piece of csv(source())) if (!piece.toString().startsWith('\uFEFF')) break;
    expect(ended).toBe(true);
  });
});
