import { describe, expect, it } from 'vitest';
import type { ReadPage, Word } from '../../page-geometry.ts';
import { loadSchema } from '../../schema/load-schema.ts';
import { applyTemplates } from './apply-template.ts';
import { learnLesson } from './learn-lesson.ts';

const schema = loadSchema();

type Room = readonly [no: string, name: string, area: string, height: string];
type Text = readonly [x: number, y: number, text: string];

/** The words of a card whose upper left corner is at `x`, `y`; a name of two words has two lines. */
type Card = (x: number, y: number, room: Room) => Text[];

const corners: Card = (x, y, [no, name, area, height]) => {
  const lines = name.split(' ');
  const below = 12 * (lines.length - 1);
  return [
    [x, y, no],
    [x + 70, y, `h ${height}`],
    ...lines.map((line, i): Text => [x, y + 12 + 12 * i, line]),
    [x, y + 24 + below, area],
  ];
};

const oneLineName: Card = (x, y, [no, name, area, height]) => [
  [x, y, `${no} ${name}`],
  [x, y + 13, `${area} sqm`],
  [x, y + 26, `to ceiling ${height}`],
];

const labelled: Card = (x, y, [no, name, area, height]) => [
  [x, y, `Unit no ${no}`],
  [x, y + 12, `Name ${name}`],
  [x, y + 24, `Area, sqm ${area}`],
  [x, y + 36, `Height, m ${height}`],
];

const symbols: Card = (x, y, [no, name, area, height]) => [
  [x, y, no],
  [x, y + 12, name],
  [x, y + 24, `S = ${area} sqm`],
  [x, y + 36, `h = ${height} m`],
];

const withoutHeight: Card = (x, y, room) => corners(x, y, room).filter(([, , text]) => text !== 'h ');

interface Grid {
  readonly perLine: number;
  readonly pitch?: number;
  readonly down?: boolean;
  readonly titleBefore?: number;
}

/** A page of 600 × 800 points; every character is 5 points wide. */
function pageOf(rooms: readonly Room[], card: Card, { perLine, pitch = 54, down, titleBefore }: Grid): ReadPage {
  const lines = Math.ceil(rooms.length / perLine);
  const placed = rooms.flatMap((room, i) => {
    const [column, line] = down ? [Math.floor(i / lines), i % lines] : [i % perLine, Math.floor(i / perLine)];
    const title = titleBefore !== undefined && line >= titleBefore ? 16 : 0;
    return card(40 + 135 * column, 120 + pitch * line + title, room);
  });
  const below = 120 + pitch * lines + (titleBefore === undefined ? 0 : 16);
  const texts: Text[] = [
    [40, 40, 'Municipal register of workshops and stores'],
    [40, 90, 'Premises of the dwelling, with clear headroom'],
    ...placed,
    ...(titleBefore === undefined ? [] : [[40, 120 + pitch * titleBefore, 'Attic'] as const]),
    [40, below, 'Signed by the clerk before two witnesses'],
    [40, below + 12, '7 copies, 12 sheets of 7.50'],
  ];
  const words = texts.flatMap(([x, y, text]) => {
    let at = x;
    return text.split(' ').map((word): Word => {
      const [x0, x1] = [at, at + 5 * word.length];
      at = x1 + 5;
      return { text: word, box: [x0 / 600, y / 800, x1 / 600, (y + 9) / 800], confidence: null };
    });
  });
  return { page: 1, width: 600, height: 800, turn: 0, words, rules: [], reader: 'text' };
}

const FIRST: Room[] = [
  ['1', 'hall', '9.06', '2.81'],
  ['2', 'kitchen', '13.42', '2.81'],
  ['3', 'bedroom', '14.75', '2.81'],
  ['4', 'nursery', '18.15', '2.81'],
  ['5', 'bathroom', '4.60', '2.50'],
  ['6', 'pantry', '1.50', '2.81'],
];
const SECOND: Room[] = [
  ['I', 'stairs', '5.20', '3.10'],
  ['1', 'corridor', '8.93', '2.60'],
  ['2', 'room', '22.41', '2.60'],
  ['3', 'room', '16.04', '2.58'],
  ['4', 'study', '19.60', '2.61'],
  ['5', 'kitchen', '11.37', '2.60'],
  ['6', 'bathroom', '4.85', '2.40'],
  ['7', 'office', '13.30', '2.55'],
  ['8', 'cupboard', '2.00', '1.60'],
];

const cellsOf = (rooms: readonly Room[]) =>
  rooms.flatMap(([no, name, area, height], i) => [
    [`rooms:${i + 1}.no`, no] as const,
    [`rooms:${i + 1}.name`, name] as const,
    [`rooms:${i + 1}.area`, Number(area)] as const,
    [`rooms:${i + 1}.height`, Number(height)] as const,
  ]);

type Cell = ReturnType<typeof cellsOf>[number];

const learn = (page: ReadPage, rooms: readonly Room[], isTyped: (cell: Cell) => boolean = () => true) =>
  learnLesson(
    [page],
    cellsOf(rooms)
      .filter(isTyped)
      .map(([key, value]) => ({ ...{ key, value, original: null, edited: true, page: null, bbox: null } })),
    schema,
  );

/** The cells of a page that a template reads, after the `rooms` of another page were typed. */
function readRooms(
  learned: ReadPage,
  rooms: readonly Room[],
  page: ReadPage,
  isTyped?: (cell: Cell) => boolean,
  byReader: readonly Cell[] = [],
) {
  const template = { id: 't', lessons: [learn(learned, rooms, isTyped)] };
  const own = byReader.map(([key, value]) => [
    key,
    { value, confidence: 0.99, source: 'text' as const, page: 1, bbox: null, text: String(value) },
  ]);
  const { fields } = applyTemplates([page], Object.fromEntries(own), [template], schema);
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, { value }]) => (key.startsWith('rooms:') ? [[key, value]] : [])),
  );
}

describe('A template of rooms as cards', () => {
  it.each([
    ['numbers and heights in the corners', corners, { perLine: 4 }, { perLine: 4 }],
    ['labels and units in each card', oneLineName, { perLine: 3 }, { perLine: 3 }],
    ['cards that run down the columns', corners, { perLine: 3, down: true }, { perLine: 3, down: true }],
    ['a single column', oneLineName, { perLine: 1 }, { perLine: 1 }],
    ['labels before all values', labelled, { perLine: 4, pitch: 60 }, { perLine: 4, pitch: 60 }],
    ['symbols and units', symbols, { perLine: 3, pitch: 70 }, { perLine: 3, pitch: 70 }],
    ['a title between the lines of cards', corners, { perLine: 4 }, { perLine: 4, titleBefore: 1 }],
  ] as const)('reads another number of cards: %s', (_name, card, first, second) => {
    const read = readRooms(pageOf(FIRST, card, first), FIRST, pageOf(SECOND, card, second));
    expect(read).toEqual(Object.fromEntries(cellsOf(SECOND)));
  });

  it('learns columns that the first document did not fill', () => {
    const few = FIRST.slice(0, 2);
    const read = readRooms(
      pageOf(few, corners, { perLine: 4 }),
      few,
      pageOf(SECOND, corners, { perLine: 4, pitch: 50 }),
    );
    expect(read).toEqual(Object.fromEntries(cellsOf(SECOND)));
  });

  it('reads a name of two lines, which moves the area down', () => {
    const rooms: Room[] = SECOND.map(([no, name, area, height]) => [
      no,
      no === '4' ? 'large study' : name,
      area,
      height,
    ]);
    const read = readRooms(pageOf(FIRST, corners, { perLine: 4 }), FIRST, pageOf(rooms, corners, { perLine: 4 }));
    expect(read).toEqual(Object.fromEntries(cellsOf(rooms)));
  });

  it('takes no room number for a height that a card lacks', () => {
    const rooms: Room[] = SECOND.map(([no, name, area, height]) => [no, name, area, no === '4' ? '' : height]);
    const read = readRooms(pageOf(FIRST, corners, { perLine: 4 }), FIRST, pageOf(rooms, withoutHeight, { perLine: 4 }));
    const expected = cellsOf(rooms).filter(([key]) => key !== 'rooms:5.height');
    expect(read).toEqual(Object.fromEntries(expected));
  });

  it('learns cards that were typed in another order', () => {
    const order = [1, 2, 3, 4, 5, 0].map((i) => FIRST[i]!);
    const read = readRooms(pageOf(FIRST, corners, { perLine: 4 }), order, pageOf(SECOND, corners, { perLine: 4 }));
    expect(read).toEqual(Object.fromEntries(cellsOf(SECOND)));
  });

  it('learns a grid of which one card was not typed', () => {
    const rooms = FIRST.filter((_, i) => i !== 2);
    const read = readRooms(pageOf(rooms, corners, { perLine: 4 }), rooms, pageOf(SECOND, corners, { perLine: 4 }));
    expect(read).toEqual(Object.fromEntries(cellsOf(SECOND)));
  });

  it('leaves out printed numbers that were not typed', () => {
    const isTyped = ([key]: readonly [string, unknown]) => !key.endsWith('.no');
    const read = readRooms(
      pageOf(FIRST, corners, { perLine: 4 }),
      FIRST,
      pageOf(SECOND.slice(1), corners, { perLine: 4 }),
      isTyped,
    );
    expect(read).toEqual(Object.fromEntries(cellsOf(SECOND.slice(1)).filter(isTyped)));
  });

  it('mixes no cells of a reader that has the rooms in another order', () => {
    const down = [0, 4, 8, 1, 5, 2, 6, 3, 7].map((i) => SECOND[i]!);
    const read = readRooms(
      pageOf(FIRST, corners, { perLine: 4 }),
      FIRST,
      pageOf(SECOND, corners, { perLine: 4 }),
      () => true,
      cellsOf(down).filter(([key]) => !key.endsWith('.no')),
    );
    expect(read).toEqual(Object.fromEntries(cellsOf(SECOND)));
  });

  it('is no template of a table, whose cells stand on one line', () => {
    const line: Card = (x, y, [no, name, area, height]) => [
      [x, y, no],
      [x + 30, y, name],
      [x + 120, y, area],
      [x + 180, y, height],
    ];
    const table = (rooms: readonly Room[]) => pageOf(rooms, line, { perLine: 1, pitch: 16 });
    expect(learn(table(FIRST), FIRST).tables[0]).not.toHaveProperty('cards');
    expect(readRooms(table(FIRST), FIRST, table(SECOND))).toEqual(Object.fromEntries(cellsOf(SECOND)));
  });
});
