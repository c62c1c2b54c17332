import { expect, it } from 'vitest';
import { parseTsv } from './tsv.ts';

it('parseTsv returns the words of each page and ignores other rows and empty words', () => {
  const tsv = [
    'level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext',
    '1\t1\t0\t0\t0\t0\t0\t0\t500\t60\t-1\t',
    '5\t1\t1\t1\t1\t1\t12\t14\t100\t30\t96.5\tКадастровый',
    '5\t1\t1\t1\t1\t2\t120\t14\t80\t30\t41\tномер',
    '1\t2\t0\t0\t0\t0\t0\t0\t500\t60\t-1\t',
    '5\t2\t1\t1\t1\t1\t12\t14\t100\t30\t95\t ',
    '5\t3\t1\t1\t1\t1\t5\t6\t7\t8\t100\t3',
    '',
  ].join('\n');
  expect(parseTsv(tsv, 3)).toEqual([
    [
      { text: 'Кадастровый', left: 12, top: 14, right: 112, bottom: 44, confidence: 0.965 },
      { text: 'номер', left: 120, top: 14, right: 200, bottom: 44, confidence: 0.41 },
    ],
    [],
    [{ text: '3', left: 5, top: 6, right: 12, bottom: 14, confidence: 1 }],
  ]);
});

it('parseTsv ends a box at the next word that it contains', () => {
  const row = (left: number, width: number, text: string) => `5\t1\t1\t1\t1\t1\t${left}\t10\t${width}\t20\t90\t${text}`;
  const [words] = parseTsv(
    [row(10, 190, 'инв.'), row(60, 140, '№'), row(90, 110, '1046'), row(195, 30, 'от')].join('\n'),
    1,
  );
  expect(words!.map(({ left, right }) => [left, right])).toEqual([
    [10, 57],
    [60, 87],
    [90, 200],
    [195, 225],
  ]);
});

it('parseTsv leaves out the end of a word that is returned once more', () => {
  const row = (left: number, width: number, text: string) => `5\t1\t1\t1\t1\t1\t${left}\t10\t${width}\t20\t90\t${text}`;
  const texts = (...rows: string[]) => parseTsv(rows.join('\n'), 1)[0]!.map(({ text }) => text);
  expect(texts(row(10, 40, 'руб.'), row(40, 10, 'б.'), row(60, 20, '08'))).toEqual(['руб.', '08']);
  // The box of the first word contains the second one, as `trimOverlaps` expects.
  expect(texts(row(10, 190, 'дом'), row(150, 50, 'м'))).toEqual(['дом', 'м']);
  expect(texts(row(10, 40, '22'), row(40, 10, '2'))).toEqual(['22', '2']);
  expect(texts(row(10, 90, 'Литера'), row(88, 12, 'а'))).toEqual(['Литера', 'а']);
});
