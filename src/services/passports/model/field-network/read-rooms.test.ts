import { describe, expect, it } from 'vitest';
import type { ReadPage } from '../../page-geometry.ts';
import { loadSchema } from '../../schema/load-schema.ts';
import type { Token } from '../fields/page-tokens.ts';
import { tokenizePages, VALUE_BOUNDARY } from '../fields/page-tokens.ts';
import type { PageReading } from './page-reading.ts';
import { readRows } from './read-rooms.ts';

const SIZE = 1000;
const { table } = loadSchema().sections.find(({ key }) => key === 'rooms')!;

/** A printed row: its cells by column, the place of its first cell, and what the network takes for one row. */
interface PrintedRow {
  readonly at: readonly [x: number, y: number];
  readonly cells: Readonly<Record<string, string>>;
  readonly probability?: number;
  readonly group?: number;
  /** Columns whose words the network takes for nothing. */
  readonly unread?: readonly string[];
}
/** Points from the first cell. */
const OFFSETS: Record<string, number> = {
  // `form` is text of the form after a name of five letters, `kind` a column that the network takes for more of the names.
  ...{ no: 0, name: 40, form: 76, kind: 110, area: 160, living_area: 220, auxiliary_area: 280, height: 340 },
};

/** A page as the network reads it; letters are 6 pt wide and 10 pt high. Each row is a group unless it names one. */
function readingOf(rows: readonly PrintedRow[]): PageReading {
  const words = rows.flatMap(({ at: [x, y], cells, probability = 0.9, group, unread = [] }, i) =>
    Object.entries(cells).flatMap(([name, text]) =>
      [...text.matchAll(/\S+/gu)].map(({ 0: word, index }) => ({
        ...{ text: word, x: x + OFFSETS[name]! + 6 * index, y },
        ...{
          name: `rooms:${name === 'kind' ? 'name' : name}`,
          probability: unread.includes(name) ? 0.1 : probability,
          group: group ?? 1000 + i,
        },
      })),
    ),
  );
  const page: ReadPage = {
    ...{ page: 1, width: SIZE, height: SIZE, turn: 0, reader: 'text', rules: [] },
    words: words.map(({ text, x, y }) => ({
      text,
      box: [x / SIZE, y / SIZE, (x + 6 * text.length) / SIZE, (y + 10) / SIZE],
      confidence: null,
    })),
  };
  const tokens: readonly Token[] = tokenizePages([page], VALUE_BOUNDARY)[0]!.tokens;
  const wordOf = (i: number) => words[tokens[i]!.word]!;
  return {
    tokens,
    probabilityOf: (i, name) => (wordOf(i).name === name ? wordOf(i).probability : 0),
    likeliest: (i) => (wordOf(i).probability > 0.5 ? wordOf(i).name : 'none'),
    affinity: (a, b) => (wordOf(a).group === wordOf(b).group ? 5 : -5),
    areApart: () => false,
  };
}

/** The values of the rows, by column. */
const read = (...pages: readonly (readonly PrintedRow[])[]) =>
  readRows(pages.map(readingOf), 'rooms', table!).map((cells) =>
    Object.fromEntries(cells.map(({ spec, value }) => [spec.key, value])),
  );

const ROOMS: PrintedRow[] = [
  { at: [40, 100], cells: { no: '1', name: 'прихожая', area: '6,1', height: '2,50' } },
  { at: [40, 120], cells: { no: '2', name: 'жилая комната', area: '18,4', height: '2,50' } },
  { at: [40, 140], cells: { no: '3', name: 'кухня', area: '9,2', height: '2,50' } },
];

describe('readRows', () => {
  it('returns the cells of each row by column, from top to bottom', () => {
    const rows = [
      { no: '1', name: 'прихожая', area: 6.1, height: 2.5 },
      { no: '2', name: 'жилая комната', area: 18.4, height: 2.5 },
      { no: '3', name: 'кухня', area: 9.2, height: 2.5 },
    ];
    expect(read(ROOMS)).toEqual(rows);
    expect(read([...ROOMS].reverse())).toEqual(rows);
  });

  it.each([
    ['Area, sq ft', ['600'], [55.74, 13.94, 9.29, 27.87]],
    ['Area, m²', [], [600, 150, 100, 300]],
  ])(
    'reads the areas of a column %s in square metres, also doubtful ones and on the next page',
    (header, doubtful, areas) => {
      const rows = ['600', '150', '100'].map((area, i) => ({
        at: [40, 100 + 20 * i] as const,
        cells: { no: String(i + 1), name: 'hall', area, height: '2.50' },
        unread: doubtful.includes(area) ? ['area'] : [],
      }));
      const head = { at: [40, 80] as const, cells: { area: header }, unread: ['area'] };
      const next = { at: [40, 100] as const, cells: { no: '4', name: 'hall', area: '300', height: '2.50' } };
      expect(read([head, ...rows], [next]).map(({ area }) => area)).toEqual(areas);
    },
  );

  it('reads the areas of a page whose own header names square metres after a page in square feet', () => {
    const page = (header: string, area: string) => [
      { at: [40, 80] as const, cells: { area: header }, unread: ['area'] },
      ...[100, 120, 140].map((y) => ({
        at: [40, y] as const,
        cells: { no: String(y), name: 'hall', area, height: '2.50' },
      })),
    ];
    const areas = read(page('Area, sq ft', '600'), page('Area, m²', '30')).map(({ area }) => area);
    expect(areas).toEqual([55.74, 55.74, 55.74, 30, 30, 30]);
  });

  it('reads the words of a name that the network doubts', () => {
    const rows = ROOMS.map((row) => ({ ...row, cells: { ...row.cells, name: 'номер на 4 места' } }));
    const reading = readingOf(rows);
    const isDoubtful = (i: number) => ['номер', 'на', '4'].includes(reading.tokens[i]!.text);
    const doubting: PageReading = {
      ...reading,
      probabilityOf: (i, name) => (isDoubtful(i) ? 0.2 : 1) * reading.probabilityOf(i, name),
      likeliest: (i) => (isDoubtful(i) ? 'none' : reading.likeliest(i)),
    };
    const names = readRows([doubting], 'rooms', table!).map((cells) => cells.find(({ spec }) => spec.key === 'name'));
    expect(names.map((cell) => cell?.value)).toEqual(Array(3).fill('номер на 4 места'));
  });

  it('reads 1,000 rows of a page', () => {
    const rows = Array.from({ length: 1000 }, (_, i) => ({
      at: [40, 20 * i] as const,
      cells: { name: 'кухня', ...(i % 2 === 0 ? { area: '9,2' } : { height: '2,50' }) },
    }));
    expect(read(rows)).toHaveLength(1000);
  });

  it('reads the numbers of rooms that the network found in no row', () => {
    const numbered = (...numbers: string[]) =>
      ROOMS.map(({ at, cells }, i) => ({ at, cells: { ...cells, no: numbers[i]! }, unread: ['no'] }));
    expect(read(numbered('101', '102', '204')).map(({ no }) => no)).toEqual(['101', '102', '204']);
    expect(read(numbered('1-1', '1-2', '2-1')).map(({ no }) => no)).toEqual(['1-1', '1-2', '2-1']);
    // The floor of each room.
    expect(read(numbered('1', '1', '2')).map(({ no }) => no)).toEqual([undefined, undefined, undefined]);
    expect(read(numbered('1', 'А', '2')).map(({ no }) => no)).toEqual([undefined, undefined, undefined]);
    // Years, areas.
    expect(read(numbered('1975', '1981', '1969'))[0]).not.toHaveProperty('no');
    expect(read(numbered('6.4', '8.1', '12.5'))[0]).not.toHaveProperty('no');
  });

  it('reads missed numbers of rooms also on a page with few rows', () => {
    const page = (numbers: readonly string[]) =>
      numbers.map((no, i) => ({
        at: [40, 100 + 20 * i] as const,
        cells: { no, name: 'кухня', area: `9,${i}`, height: '2,50' },
        unread: ['no'],
      }));
    const numbers = read(page(['1', '2', '3', '4', '5', '6']), page(['7', '8'])).map(({ no }) => no);
    expect(numbers).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
  });

  it('keeps a row without number of a table whose columns of areas exclude each other', () => {
    const areas = [
      { living_area: '16,4' },
      { auxiliary_area: '5,3' },
      { living_area: '12,0' },
      { auxiliary_area: '2,2' },
    ];
    const rows = areas.map((area, i) => ({
      at: [40, 100 + 20 * i] as const,
      cells: { ...(i > 0 && { no: String(i + 1) }), name: 'комната', ...area },
    }));
    expect(read(rows).map(({ no }) => no)).toEqual([undefined, '2', '3', '4']);
    for (const cells of [
      { living_area: '28,4', height: '2,50' },
      { name: 'Итого', living_area: '28,4', auxiliary_area: '7,5' },
      { name: 'Сарай', height: '2,50' },
    ])
      expect(read([...rows, { at: [40, 180], cells }])).toHaveLength(4);
  });

  it('reads no numbers of rooms in another table beside the rows', () => {
    const rows = ROOMS.flatMap(({ at: [, y], cells: { name = '', area = '' } }, i) => [
      { at: [200, y] as const, cells: { name, area }, group: i },
      { at: [20, y] as const, cells: { no: String(i + 1), name: 'стены' }, unread: ['no', 'name'], group: 50 + i },
    ]);
    expect(read(rows)[0]).not.toHaveProperty('no');
  });

  it('leaves out the words of a column behind the names', () => {
    const rows = ROOMS.map(({ at, cells }) => ({ at, cells: { ...cells, name: 'кухня', kind: 'вспом.' } }));
    expect(read(rows).map(({ name }) => name)).toEqual(['кухня', 'кухня', 'кухня']);
    // Not in most rows.
    const one = ROOMS.map((row, i) => (i === 0 ? rows[0]! : row));
    expect(read(one).map(({ name }) => name)).toEqual(['кухня вспом.', 'жилая комната', 'кухня']);
  });

  it('keeps the second words of names in typescript, where a space is as wide as a letter', () => {
    const rows = ROOMS.map(({ at, cells }) => ({ at, cells: { ...cells, name: 'жилая  комната' } }));
    const names = read(rows).map(({ name }) => name);
    expect(names).toEqual(['жилая комната', 'жилая комната', 'жилая комната']);
  });

  it('leaves the last number of a name in the name', () => {
    const rows = ROOMS.map(({ at, cells }, i) => ({ at, cells: { ...cells, name: `кабинет 1${i}`, area: '105,3' } }));
    expect(read(rows).map(({ area }) => area)).toEqual([105.3, 105.3, 105.3]);
  });

  it('reads hundreds of rows that overlap in bounded time', () => {
    const rows = Array.from({ length: 300 }, (_, i) => ({
      at: [40, 100 + 2 * i] as const,
      cells: { name: 'кухня', kind: 'вспом.', area: '9,2' },
    }));
    expect(read(rows).length).toBeLessThanOrEqual(300);
  }, 20_000);

  it('reads thousands before a number that begins with a zero', () => {
    const rows = ROOMS.map((row, i) => (i === 2 ? { ...row, cells: { ...row.cells, area: '1 051.3' } } : row));
    expect(read(rows).map(({ area }) => area)).toEqual([6.1, 18.4, 1051.3]);
  });

  it('reads thousands that the network doubts', () => {
    const area = (thousands: object) => {
      const rows = ROOMS.map((row, i) => (i === 2 ? { ...row, cells: { ...row.cells, area: '234,5' } } : row));
      return read([...rows, { at: [28, 140], cells: { area: '1' }, ...thousands }]).map((row) => row['area']);
    };
    expect(area({ unread: ['area'] })).toEqual([6.1, 18.4, 1234.5]);
    expect(area({ probability: 0.05 })).toEqual([6.1, 18.4, 234.5]);
  });

  it('reads an area that is split behind its decimal comma', () => {
    const rows = ROOMS.map((row, i) => (i === 2 ? { ...row, cells: { ...row.cells, area: '15,' } } : row));
    const decimals = { at: [64, 140] as const, cells: { area: '96' }, unread: ['area'] };
    expect(read([...rows, decimals]).map(({ area }) => area)).toEqual([6.1, 18.4, 15.96]);
  });

  it('returns rooms of a sentence in reading order, if their numbers are not consecutive', () => {
    const at = [
      [40, 100],
      [300, 100],
      [560, 100],
      [130, 120],
      [420, 120],
    ] as const;
    const names = ['прихожая', 'кухня', 'жилая', 'ванная', 'уборная'];
    const rows = at.map((place, i) => ({ at: place, cells: { name: names[i]!, area: `1${i},5` } }));
    expect(read([...rows].reverse()).map(({ name }) => name)).toEqual(names);
  });

  it('returns the tokens and the probability of each cell', () => {
    const [, second] = readRows([readingOf(ROOMS)], 'rooms', table!);
    const name = second!.find(({ spec }) => spec.key === 'name')!;
    expect(name.tokens.map(({ text }) => text)).toEqual(['жилая', 'комната']);
    expect(name.score).toBeCloseTo(0.9);
  });

  it('returns rows with missing cells', () => {
    const rows = read([
      ...ROOMS,
      { at: [40, 160], cells: { no: '4', name: 'балкон', area: '1,1' } },
      { at: [40, 180], cells: { name: 'шкаф', area: '0,7', height: '2,50' } },
    ]);
    expect(rows.slice(3)).toEqual([
      { no: '4', name: 'балкон', area: 1.1 },
      { name: 'шкаф', area: 0.7, height: 2.5 },
    ]);
  });

  it('ends a name before a dash and the words of the form behind it', () => {
    const rows = ['кухня', 'лоджа', 'холл1'].map(
      (name, i): PrintedRow => ({
        at: [40, 100 + 20 * i],
        cells: { no: `${i + 1}`, name, form: '— площадью', area: '7,9' },
        unread: ['form'],
      }),
    );
    expect(read(rows).map(({ name }) => name)).toEqual(['кухня', 'лоджа', 'холл1']);
  });

  it('drops the figures of a plan on another page', () => {
    const plan = [6.1, 18.4, 9.2].map(
      (area, i): PrintedRow => ({
        at: [40 + 300 * i, 100],
        cells: { no: `${i + 1}`, area: String(area).replace('.', ',') },
      }),
    );
    expect(read(plan, ROOMS)).toEqual(read(ROOMS));
    expect(read(ROOMS, plan)).toEqual(read(ROOMS));
    expect(read(plan)).toHaveLength(3);
    const short = [4, 5, 6].map(
      (no, i): PrintedRow => ({ at: [40, 100 + 20 * i], cells: { no: `${no}`, name: 'кладовая', area: '1,2' } }),
    );
    const whole = ROOMS.map(
      (row): PrintedRow => ({ ...row, cells: { ...row.cells, living_area: '1,0', auxiliary_area: '2,0' } }),
    );
    expect(read(whole, short)).toHaveLength(6);
    const continued = ROOMS.map(
      (row): PrintedRow => ({ ...row, cells: { no: row.cells['no']!, name: 'кладовая', area: '1,2' } }),
    );
    expect(read(ROOMS, continued)).toHaveLength(6);
  });

  it('reads a table with a column per room, also in parts below each other', () => {
    const across = (rows: readonly PrintedRow[], y: number) =>
      rows.flatMap((row, group) =>
        Object.entries(row.cells).map(
          ([name, text], line): PrintedRow => ({
            at: [100 + 120 * group - OFFSETS[name]!, y + 20 * line],
            cells: { [name]: text },
            group,
          }),
        ),
      );
    expect(read(across(ROOMS, 100))).toEqual(read(ROOMS));
    const below: PrintedRow[] = [
      { at: [40, 160], cells: { no: '4', name: 'кладовая', area: '1,2', height: '2,50' } },
      { at: [40, 180], cells: { no: '5', name: 'балкон', area: '1,1' } },
    ];
    expect(read([...across(ROOMS, 100), ...across(below, 200)])).toEqual(read([...ROOMS, ...below]));
    const name = { at: [40, 94], cells: { name: 'жилая' }, group: 0 } as const;
    const rest = { at: [40, 114], cells: { name: 'комната' }, group: 0 } as const;
    expect(read([name, { at: [40, 104], cells: { no: '2' }, group: 0 }, rest])[0]).toMatchObject({
      name: 'жилая комната',
    });
  });

  it('drops a row of column numbers that lacks most columns', () => {
    const numbers: PrintedRow = { at: [40, 80], cells: { no: '1', area: '3' } };
    expect(read([numbers, ...ROOMS]).map(({ name }) => name)).toEqual(['прихожая', 'жилая комната', 'кухня']);
  });

  it('drops a row of column numbers that the network doubts', () => {
    const numbers: PrintedRow = {
      ...{ at: [40, 80], probability: 0.45 },
      cells: { no: '1', name: '2', area: '3', height: '4' },
    };
    expect(read([numbers, ...ROOMS])).toHaveLength(3);
  });

  it('drops a room number without other cells', () => {
    expect(read([...ROOMS, { at: [40, 160], cells: { no: '4' } }])).toHaveLength(3);
    expect(read([{ at: [40, 160], cells: { no: '4' } }])).toEqual([]);
  });

  it('drops a total on a page without other rows', () => {
    expect(read([{ at: [40, 900], cells: { living_area: '45,03' } }], ROOMS)).toHaveLength(3);
    expect(read(ROOMS, [{ at: [40, 20], cells: { no: '4', name: 'балкон', area: '1,1' } }])).toHaveLength(4);
  });

  it('drops a row without a number on a page without other rows', () => {
    expect(
      read([{ at: [40, 900], cells: { name: 'приведенная', area: '46,01', height: '2,50' } }], ROOMS),
    ).toHaveLength(3);
  });

  it('sorts rows by consecutive numbers, wherever they stand', () => {
    const rows = [ROOMS[1]!, { ...ROOMS[0]!, at: [540, 120] }, { ...ROOMS[2]!, at: [320, 90] }] as const;
    expect(read(rows).map(({ no }) => no)).toEqual(['1', '2', '3']);
  });

  it('keeps the dot of an abbreviation at the end of a name', () => {
    const [, room] = ROOMS;
    expect(read([{ ...room!, cells: { ...room!.cells, name: 'веранда отапл.' } }])[0]!['name']).toBe('веранда отапл.');
  });

  it('reads two column groups side by side one after another', () => {
    const right = [
      { at: [520, 100], cells: { no: '4', name: 'ванная', area: '3,3', height: '2,50' } },
      { at: [520, 120], cells: { no: '5', name: 'туалет', area: '1,2', height: '2,50' } },
    ] as const;
    const rows = read([ROOMS[0]!, right[0], ROOMS[1]!, right[1], ROOMS[2]!]);
    expect(rows.map(({ no }) => no)).toEqual(['1', '2', '3', '4', '5']);
  });

  it('reads cards side by side line by line, if one of them has no number', () => {
    const card = (x: number, y: number, no: string) => ({
      at: [x, y] as const,
      cells: { ...(no && { no }), name: 'жилая', area: '9,5' },
    });
    const cards = [
      ...[card(40, 100, ''), card(340, 100, '1'), card(640, 100, '2а')],
      ...[card(40, 160, '3'), card(340, 160, '4'), card(640, 160, '5'), card(40, 220, '6')],
    ];
    expect(read(cards).map(({ no }) => no)).toEqual([undefined, '1', '2а', '3', '4', '5', '6']);
  });

  it('distinguishes columns of areas by the class of the network', () => {
    const cells = { no: '1', name: 'комната', area: '18,4', living_area: '18,4', auxiliary_area: '0,0' };
    expect(read([{ at: [40, 100], cells }])).toEqual([
      { no: '1', name: 'комната', area: 18.4, living_area: 18.4, auxiliary_area: 0 },
    ]);
  });

  it('reads room numbers with letters, and a name of several words with a slash', () => {
    expect(read([{ at: [40, 100], cells: { no: '3а', name: 'сан/узел совмещённый', area: '4,0' } }])).toEqual([
      { no: '3а', name: 'сан/узел совмещённый', area: 4 },
    ]);
  });

  it('completes cells that the network doubts where other rows have one', () => {
    const unread = ['name', 'height'];
    const rows = read([
      ...ROOMS,
      { at: [40, 160], cells: { no: '4', name: 'чулан', area: '1,2', height: '2,40' }, unread },
    ]);
    expect(rows[3]).toEqual({ no: '4', name: 'чулан', area: 1.2, height: 2.4 });
  });

  it('drops rows without a number far from the numbered ones', () => {
    const sums: PrintedRow = { at: [40, 20], cells: { name: 'занято жилыми комнатами', area: '18,4', height: '2,50' } };
    expect(read([sums, ...ROOMS])).toEqual(read(ROOMS));
  });

  it('keeps the printed order of one column', () => {
    const numbers = ['3', '1', '2'];
    const rows = ROOMS.map((row, i) => ({ ...row, cells: { ...row.cells, no: numbers[i]! } }));
    expect(read(rows).map(({ no }) => no)).toEqual(numbers);
  });

  it('returns no rows for a page without rooms', () => {
    expect(read([])).toEqual([]);
  });
});
