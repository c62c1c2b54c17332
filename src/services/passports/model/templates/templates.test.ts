import { describe, expect, it } from 'vitest';
import type { Box, ReadPage, Word } from '../../page-geometry.ts';
import { loadSchema } from '../../schema/load-schema.ts';
import { applyTemplates } from './apply-template.ts';
import { createFormDocument } from './form-document.ts';
import { type ConfirmedValue, learnLesson } from './learn-lesson.ts';
import { matchForm } from './match-form.ts';
import { teach, usedLesson } from './teach.ts';

const schema = loadSchema();

type Line = readonly [x: number, y: number, text: string];
interface Options {
  readonly scale?: number;
  readonly shift?: number;
}

/** A page of 600 × 800 points; every character is 6 points wide. */
function pageOf(lines: readonly Line[], { scale = 1, shift = 0 }: Options = {}): ReadPage {
  const words = lines.flatMap(([x, y, text]) => {
    let at = x;
    return text.split(' ').map((word): Word => {
      const [x0, x1] = [at * scale + shift, (at + 6 * word.length) * scale + shift];
      at += 6 * (word.length + 1);
      return {
        text: word,
        box: [x0 / 600, (y * scale + shift) / 800, x1 / 600, ((y + 10) * scale + shift) / 800],
        confidence: null,
      };
    });
  });
  return { page: 1, width: 600, height: 800, turn: 0, words, rules: [], reader: 'text' };
}

const typed = (
  key: string,
  value: ConfirmedValue['value'],
  original: ConfirmedValue['original'] = null,
): ConfirmedValue => ({
  ...{ key, value, original },
  ...{ edited: true, page: null, bbox: null },
});

interface Facts {
  readonly place: string;
  readonly year: string;
  readonly tax: string;
  readonly rooms: readonly string[];
}
const FIRST: Facts = { place: 'Hill Street 12', year: '1978', tax: '125 300', rooms: ['1 kitchen 9.5', '2 hall 4.1'] };
const SECOND: Facts = {
  place: 'Birch Lane 4',
  year: '1956',
  tax: '98 450',
  rooms: ['1 hall 7.3', '2 kitchen 8.8', '3 attic 12.4'],
};

function form({ place, year, tax, rooms }: Facts, options: Options = {}): ReadPage {
  const table = rooms.flatMap((room, i): Line[] => {
    const [no, name, area] = room.split(' ');
    return [
      [40, 300 + 20 * i, no!],
      [120, 300 + 20 * i, name!],
      [320, 300 + 20 * i, area!],
    ];
  });
  const below = 320 + 20 * rooms.length;
  return pageOf(
    [
      [40, 40, 'Municipal register of dwellings'],
      [40, 80, `Whereabouts of the dwelling ${place}`],
      [40, 120, `Finished by the masons during the summer of ${year} and subject to taxation of ${tax} roubles`],
      [40, 270, 'Number'],
      [120, 270, 'Designation'],
      [320, 270, 'Extent'],
      ...table,
      [40, below, 'Signed by the clerk before two witnesses'],
    ],
    options,
  );
}

const CORRECTIONS = [
  typed('general:address', 'Hill Street 12'),
  typed('general:year_built', 1978),
  typed('general:inventory_value', 125300),
  typed('rooms:1.no', '1'),
  typed('rooms:1.name', 'kitchen'),
  typed('rooms:1.area', 9.5),
  typed('rooms:2.no', '2'),
  typed('rooms:2.name', 'hall'),
  typed('rooms:2.area', 4.1),
];
const lesson = learnLesson([form(FIRST)], CORRECTIONS, schema);
const template = { id: 't', lessons: [lesson] };
const read = (page: ReadPage, fields = {}) => applyTemplates([page], fields, [template], schema);
const valuesOf = (page: ReadPage) =>
  Object.fromEntries(Object.entries(read(page).fields).map(([key, { value }]) => [key, value]));
const EXPECTED = {
  'general:address': 'Birch Lane 4',
  'general:year_built': 1956,
  'general:inventory_value': 98450,
  'rooms:1.area': 7.3,
  'rooms:2.name': 'kitchen',
  'rooms:3.no': '3',
  'rooms:3.area': 12.4,
};

const roomTable = (areas: readonly string[]): ReadPage =>
  pageOf([
    [40, 40, 'Municipal register of workshops and stores'],
    ...['Number', 'Designation', 'Extent'].map((head, i): Line => [40 + 140 * i, 80, head]),
    ...areas.flatMap((area, i): Line[] => [
      [40, 100 + 20 * i, String(i + 1)],
      [180, 100 + 20 * i, 'hall'],
      [320, 100 + 20 * i, area],
    ]),
    [40, 240, 'Signed by the clerk before two witnesses'],
  ]);

describe('A template', () => {
  it('reads values beside labels, in prose and in a longer table of the next document', () => {
    expect(valuesOf(form(SECOND))).toMatchObject(EXPECTED);
    expect(valuesOf(form(SECOND))).not.toHaveProperty('rooms:4.no');
  });

  it('reads a document of another size and position', () => {
    expect(valuesOf(form(SECOND, { scale: 0.9, shift: 18 }))).toMatchObject(EXPECTED);
  });

  it('matches despite misread words', () => {
    const page = form(SECOND);
    const misread = {
      ...page,
      words: page.words.map((word, i) => (i % 6 === 0 ? { ...word, text: `${word.text.slice(0, -1)}q` } : word)),
    };
    expect(read(misread).template).toBeDefined();
  });

  it('keeps the first word of a sentence that begins with No, and drops the sign of a number', () => {
    const page = (text: string) => form({ ...FIRST, place: text });
    const key = 'notes:text';
    const lessons = [
      learnLesson([page('Access was granted to the loft')], [typed(key, 'Access was granted to the loft')], schema),
    ];
    const remarkOf = (text: string) =>
      applyTemplates([page(text)], {}, [{ id: 't', lessons }], schema).fields[key]?.value;
    expect(remarkOf('No access was granted')).toBe('No access was granted');
    expect(remarkOf('No 12 of the register')).toBe('12 of the register');
    expect(remarkOf('No б/н of the register')).toBe('б/н of the register');
  });

  it('does not match the same words at other places', () => {
    const lines = form(SECOND).words.map(({ text }, i): Line => [40 + ((i * 97) % 400), 40 + ((i * 131) % 700), text]);
    expect(read(pageOf(lines)).template).toBeUndefined();
  });

  it('contains no value and no word in clear text', () => {
    const text = JSON.stringify(lesson);
    for (const word of ['Hill', '1978', '125', 'kitchen', '9.5', 'Municipal']) expect(text).not.toContain(word);
  });

  it('lowers the confidence where the reader found another value', () => {
    const own = { value: 1900, confidence: 0.99, source: 'text', page: 1, bbox: [0, 0, 0.1, 0.1], text: '1900' };
    const { fields } = read(form(SECOND), { 'general:year_built': own });
    expect(fields['general:year_built']).toMatchObject({ value: 1956 });
    expect(fields['general:year_built']!.confidence).toBeLessThan(0.95);
    const agreed = read(form(SECOND), { 'general:year_built': { ...own, value: 1956, confidence: 0.8 } });
    expect(agreed.fields['general:year_built']!.confidence).toBeGreaterThan(0.95);
  });

  it('keeps the value of a reader that had read the form right, and marks the disagreement', () => {
    const unchanged = CORRECTIONS.map((one) => ({ ...one, original: one.value, edited: false }));
    const lessons = [learnLesson([form(FIRST)], unchanged, schema)];
    const own = { value: 1900, confidence: 0.99, source: 'text' as const, page: 1, bbox: null, text: '1900' };
    const apply = (confidence: number) =>
      applyTemplates([form(SECOND)], { 'general:year_built': { ...own, confidence } }, [{ id: 't', lessons }], schema)
        .fields['general:year_built'];
    expect(apply(0.99)).toMatchObject({ value: 1900, confidence: 0.85, disagrees: true });
    expect(apply(0.3)).toMatchObject({ value: 1956, disagrees: true });
  });

  it('keeps sure cells of the reader and marks those that differ', () => {
    const own = { value: 7.9, confidence: 0.97, source: 'text', page: 1, bbox: null, text: '7.9' };
    const cells = Object.fromEntries([1, 2, 3].map((row) => [`rooms:${row}.area`, own]));
    expect(read(form(SECOND), cells).fields['rooms:1.area']).toEqual({ ...own, disagrees: true });
  });

  it('keeps a table of the reader whose numbers continue better', () => {
    const own = Object.fromEntries(
      ['hall', 'kitchen', 'attic'].flatMap((name, i) =>
        Object.entries({ no: `${i + 1}`, name, area: 7.5 }).map(([key, value]) => [
          `rooms:${i + 1}.${key}`,
          { value, confidence: 0.5, source: 'ocr' as const, page: 1, bbox: null, text: '' },
        ]),
      ),
    );
    const misread = { ...SECOND, rooms: ['7 hall 7.3', '2 kitchen 8.8', '3 attic 12.4'] };
    expect(read(form(misread), own).fields['rooms:1.no']).toMatchObject({ value: '1' });
    expect(read(form(SECOND), own).fields['rooms:1.area']).toMatchObject({ value: 7.3 });
  });

  it('reads the ticked check box', () => {
    const boxes = (ticked: string): ReadPage =>
      pageOf([
        ...['Register of dwellings and their parts', 'Inspected by the clerk before two witnesses'].map(
          (text, i): Line => [40, 40 + 60 * i, text],
        ),
        [40, 70, 'Foundations'],
        ...['Strip concrete', 'Brick footings', 'Raft'].flatMap((text, i): Line[] => [
          [160 + 120 * i, 70, text === ticked ? '☑' : '☐'],
          [170 + 120 * i, 70, text],
        ]),
      ]);
    const lessons = [learnLesson([boxes('Raft')], [typed('construction:foundation', 'Raft')], schema)];
    const { fields } = applyTemplates([boxes('Brick footings')], {}, [{ id: 't', lessons }], schema);
    expect(fields['construction:foundation']).toMatchObject({ value: 'Brick footings' });
  });

  it('reads the ticked check box of a ruled cell with several lines, beside other columns', () => {
    const boxes = (ticked: string): ReadPage => ({
      ...pageOf([
        [40, 40, 'Register of dwellings and their parts'],
        [40, 72, 'Storeys'],
        ...['1', '2', '3'].flatMap((text, i): Line[] => {
          const [x, y] = [160 + 60 * (i % 2), 70 + 14 * Math.floor(i / 2)];
          return [
            [x, y, text === ticked ? '☒' : '☐'],
            [x + 10, y, text],
          ];
        }),
        [320, 70, '1982'],
        [420, 70, '30'],
        [40, 130, 'Inspected by the clerk before two witnesses'],
      ]),
      rules: [
        ...[62, 102].map((y): Box => [30 / 600, y / 800, 500 / 600, y / 800]),
        ...[30, 150, 300, 400, 500].map((x): Box => [x / 600, 62 / 800, x / 600, 102 / 800]),
      ],
    });
    const lessons = [learnLesson([boxes('3')], [typed('general:floors', 3)], schema)];
    const { fields } = applyTemplates([boxes('2')], {}, [{ id: 't', lessons }], schema);
    expect(fields['general:floors']).toMatchObject({ value: 2 });
  });

  it('reads the ticked check box where each option has a ruled cell', () => {
    const boxes = (ticked: string): ReadPage => ({
      ...pageOf([
        [40, 40, 'Register of dwellings and their parts'],
        [40, 70, 'Foundations'],
        ...['Stone', 'Brick', 'Raft'].flatMap((text, i): Line[] => [
          [160 + 100 * i, 70, text === ticked ? '☒' : '☐'],
          [170 + 100 * i, 70, text],
        ]),
        [40, 130, 'Inspected by the clerk before two witnesses'],
      ]),
      rules: [
        ...[62, 92].map((y): Box => [30 / 600, y / 800, 450 / 600, y / 800]),
        ...[30, 150, 250, 350, 450].map((x): Box => [x / 600, 62 / 800, x / 600, 92 / 800]),
      ],
    });
    const lessons = [learnLesson([boxes('Raft')], [typed('construction:foundation', 'Raft')], schema)];
    const { fields } = applyTemplates([boxes('Brick')], {}, [{ id: 't', lessons }], schema);
    expect(fields['construction:foundation']).toMatchObject({ value: 'Brick' });
  });

  describe('options below each other', () => {
    const OPTIONS = ['Stone', 'Brick', 'Raft'];
    type Marks = readonly [ticked: string, empty: string];
    /** `shift` moves the options, as a longer value above them does. */
    const below = (ticked: string, marks: Marks, { at, shift = 0 }: { at: number; shift?: number }): ReadPage =>
      pageOf([
        [40, 40, 'Register of dwellings and their parts'],
        [40, 70 + shift, 'Foundations'],
        ...OPTIONS.flatMap((text, i): Line[] => {
          const mark = text === ticked ? marks[0] : marks[1];
          const y = 84 + 14 * i + shift;
          const own: Line[] = [
            [62, y, text],
            [at, y, mark],
          ];
          return own.filter(([, , each]) => each !== '').sort(([a], [b]) => a - b);
        }),
        [40, 160 + shift, 'Inspected by the clerk before two witnesses'],
      ]);
    const apply = (marks: Marks, at = 50, confidence = 0.98) => {
      const lessons = [learnLesson([below('Raft', marks, { at })], [typed('construction:foundation', 'Raft')], schema)];
      const own = { value: 'Stone', confidence, source: 'text' as const, page: 1, bbox: null, text: '' };
      const pages = [below('Brick', marks, { at, shift: 30 })];
      return applyTemplates(pages, { 'construction:foundation': own }, [{ id: 't', lessons }], schema).fields;
    };

    it('gives the ticked check box', () => {
      expect(apply(['☑', '☐'])['construction:foundation']).toMatchObject({ value: 'Brick' });
    });

    it('gives the option beside the only mark', () => {
      expect(apply(['X', ''])['construction:foundation']).toMatchObject({ value: 'Brick' });
    });

    it.each<Marks>([
      ['☑', '☐'],
      ['X', ''],
      ['X', '☐'],
    ])('gives the option before its mark %s', (...marks) => {
      expect(apply(marks, 140)['construction:foundation']).toMatchObject({ value: 'Brick' });
    });

    it.each([
      ['a mark of a column behind them', (mark: string): Line[] => [[200, 0, mark]], ['V', '']],
      [
        'the box of another text behind them',
        (mark: string): Line[] => [
          [130, 0, mark],
          [142, 0, 'heating'],
        ],
        ['☒', '☐'],
      ],
    ] as const)('does not take values with labels for options, with %s', (_, behind, [ticked, empty]) => {
      const table = (values: readonly string[], at: number): ReadPage =>
        pageOf([
          [40, 40, 'Register of dwellings and their parts'],
          ...['Foundations', 'Walls', 'Roof'].flatMap((label, i): Line[] => {
            const marks = behind(i === at ? ticked : empty).filter(([, , text]) => text !== '');
            const moved = marks.map(([x, , text]): Line => [x, 84 + 14 * i, text]);
            return [[40, 84 + 14 * i, label], [112, 84 + 14 * i, values[i]!], ...moved];
          }),
          [40, 160, 'Inspected by the clerk before two witnesses'],
        ]);
      const corrections = [typed('construction:wall_material', 'brick')];
      const lessons = [learnLesson([table(['rubble', 'brick', 'iron'], 1)], corrections, schema)];
      const pages = [table(['concrete', 'timber', 'slate'], 2)];
      const { fields } = applyTemplates(pages, {}, [{ id: 't', lessons }], schema);
      expect(fields['construction:wall_material']?.value).not.toBe('slate');
    });
  });

  it('does not take words of a value that reader and template agree on', () => {
    const signed = (head: string, technician: string, gap: number): ReadPage =>
      pageOf([
        [40, 40, 'Register of dwellings and their parts'],
        [40, 70, `Checked by ${head}`],
        [40 + gap, 70, technician],
        [40, 100, 'Inspected before two witnesses'],
      ]);
    const corrections = [typed('general:head', 'Jane Smithers'), typed('general:technician', 'Mary Brown')];
    const lessons = [learnLesson([signed('Jane Smithers', 'Mary Brown', 300)], corrections, schema)];
    const own = { value: 'Ann Hill', confidence: 0.98, source: 'text' as const, page: 1, bbox: null, text: '' };
    const pages = [signed('John Underwood-Lee', 'Ann Hill', 200)];
    const { fields } = applyTemplates(pages, { 'general:technician': own }, [{ id: 't', lessons }], schema);
    expect(fields).toMatchObject({
      'general:head': { value: 'John Underwood-Lee' },
      'general:technician': { value: 'Ann Hill' },
    });
  });

  describe('an address in blanks', () => {
    const blanks = (parts: Readonly<Record<string, string>>): ReadPage =>
      pageOf([
        [40, 40, 'Реестр жилых строений города'],
        ...['Область', 'Город', 'Улица', 'Дом', 'Строение', 'Квартира'].flatMap((label, i): Line[] => [
          [40, 70 + 30 * i, `${label}:`],
          ...(parts[label] ? [[140, 70 + 30 * i, parts[label]] as const] : []),
        ]),
        [40, 280, 'Осмотр проведён при двух свидетелях'],
      ]);
    const FIRST_PARTS = { Область: 'Тверская', Город: 'Кашин', Улица: 'Садовая', Дом: '5', Квартира: '8' };
    const lessons = [
      learnLesson(
        [blanks(FIRST_PARTS)],
        [typed('general:address', 'Тверская область, г. Кашин, ул. Садовая, д. 5, кв. 8')],
        schema,
      ),
    ];
    const read = (parts: Readonly<Record<string, string>>, reader: string, confidence = 0.3) => {
      const own = { value: reader, confidence, source: 'text' as const, page: 1, bbox: null, text: '' };
      return applyTemplates([blanks(parts)], { 'general:address': own }, [{ id: 't', lessons }], schema).fields[
        'general:address'
      ]!.value;
    };

    it('gets the part from the reader that the earlier document did not have', () => {
      const parts = { Область: 'Тверская', Город: 'Кашин', Улица: 'Новая', Дом: '7', Строение: '2', Квартира: '9' };
      const reader = 'г. Кашин, ул. Новая, д. 7, стр. 2, кв. 9';
      expect(read(parts, reader)).toBe('Тверская область, г. Кашин, ул. Новая, д. 7, стр. 2, кв. 9');
    });

    it('gets it also beside parts of another kind or name, and no part twice', () => {
      const parts = { Область: 'Тверская', Город: 'пос. Кесова Гора', Улица: 'пер. Новый', Дом: '7', Строение: '2' };
      const reader = 'Тверская область, Кесовский район, г. Кесова Гора, ул. Новый, кв. 7, стр. 2';
      expect(read(parts, reader)).toBe('Тверская область, Кесовский район, пос. Кесова Гора, пер. Новый, д. 7, стр. 2');
    });

    it('gets no second reading of a part that it has', () => {
      const parts = { Область: 'Тверская', Город: 'Кашин', Улица: 'Новая', Дом: '7', Квартира: '9' };
      const address = 'Тверская область, г. Кашин, ул. Новая, д. 7, кв. 9';
      expect(read(parts, 'г. Кашин, ул. Новая, д. 1, кв. 9')).toBe(address);
      expect(read(parts, 'г. Кашин, ул. Повая, д. 7, кв. 9')).toBe(address);
    });

    it('gets none from a reader that is very unsure', () => {
      expect(read(FIRST_PARTS, 'г. Кашин, ул. Садовая, д. 5, стр. 41, кв. 8', 0.05)).toBe(
        'Тверская область, г. Кашин, ул. Садовая, д. 5, кв. 8',
      );
    });

    it('has no designation beside a part with its own', () => {
      const parts = { Область: 'Пермский край', Город: 'пос. Ильинский', Улица: 'Новая', Дом: '7', Квартира: '9' };
      expect(read(parts, 'ул. Новая')).toBe('Пермский край, пос. Ильинский, ул. Новая, д. 7, кв. 9');
    });
  });

  it('keeps a sure value of the reader that is part of a longer one of the template', () => {
    const signed = (name: string): ReadPage =>
      pageOf([
        [40, 40, 'Register of dwellings and their parts'],
        [40, 70, `Owned by ${name}`],
        [40, 100, 'Inspected before two witnesses'],
      ]);
    const lessons = [learnLesson([signed('Jane Smithers')], [typed('general:owner', 'Jane Smithers')], schema)];
    const apply = (confidence: number) =>
      applyTemplates(
        [signed('deputy Mary Brown')],
        { 'general:owner': { value: 'Mary Brown', confidence, source: 'text', page: 1, bbox: null, text: '' } },
        [{ id: 't', lessons }],
        schema,
      ).fields['general:owner']!.value;
    expect(apply(0.95)).toBe('Mary Brown');
    expect(apply(0.5)).toBe('deputy Mary Brown');
  });

  it('adds the words that a person added to the value of a reader', () => {
    const corrections = [typed('general:address', 'Hill Street 12', 'Street 12')];
    const lessons = [learnLesson([form(FIRST)], corrections, schema)];
    const own = { value: 'Lane 4', confidence: 0.98, source: 'text' as const, page: 1, bbox: null, text: '' };
    const { fields } = applyTemplates([form(SECOND)], { 'general:address': own }, [{ id: 't', lessons }], schema);
    expect(fields['general:address']).toMatchObject({ value: 'Birch Lane 4' });
  });

  it('ends a value in running text at the punctuation that ended the corrected one', () => {
    const prose = (roof: string, rest: string): ReadPage =>
      pageOf([
        [40, 40, 'Report on survey and valuation of dwellings'],
        [40, 60, `The main roof is covered in ${roof}; ${rest}`],
        [40, 80, 'This report is for the party to whom it is addressed'],
      ]);
    const first = prose('graded stone slates', 'some slates have slipped');
    const lessons = [learnLesson([first], [typed('construction:roof', 'graded stone slates')], schema)];
    const second = prose('clay tiles on battens', 'nothing else could be seen');
    const { fields } = applyTemplates([second], {}, [{ id: 't', lessons }], schema);
    expect(fields['construction:roof']).toMatchObject({ value: 'clay tiles on battens' });
  });

  it('matches running text whose lines break elsewhere', () => {
    const report = (owner: string, materials: string, width: number): ReadPage => {
      const text = `Report on survey and valuation prepared in accordance with your instructions. We understand that the
        freehold interest is vested in ${owner} and that no other party has claimed it. The external walls are ${materials}
        beneath pitched roofs, and rainwater goods were found to be sound throughout. Woodwork which was covered or
        inaccessible has not been inspected and we are unable to report that it is free from defect.`;
      const words = text.split(/\s+/u);
      const lines: string[] = [''];
      for (const word of words) {
        if (lines.at(-1)!.length + word.length > width) lines.push(word);
        else lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
      }
      return pageOf(lines.map((line, i): Line => [40, 40 + 14 * i, line]));
    };
    const taught = [
      typed('general:owner', 'Eleanor Hill'),
      typed('construction:wall_material', 'brick, rendered on two sides,'),
    ];
    const lessons = [learnLesson([report('Eleanor Hill', 'brick, rendered on two sides,', 70)], taught, schema)];
    const longer = 'The Trustees of the Bede Memorial Institute, a charity registered in Durham before the war,';

    const page = report(longer, 'coursed rubble with dressings of ashlar,', 48);
    const { fields, template } = applyTemplates([page], {}, [{ id: 't', lessons }], schema);
    expect(template).toBeDefined();
    expect(fields['general:owner']).toMatchObject({ value: longer.slice(0, -1) });
    expect(fields['construction:wall_material']).toMatchObject({ value: 'coursed rubble with dressings of ashlar' });
    expect(applyTemplates([form(SECOND)], {}, [{ id: 't', lessons }], schema).template).toBeUndefined();
  });

  it('ends a value in a sentence before the next word of the form, also where the reader did not', () => {
    const deed = (owner: string): ReadPage =>
      pageOf([
        [40, 40, 'Report on survey and valuation of dwellings'],
        [40, 60, `Landlord and freeholder ${owner} whose registered office is at Durham`],
        [40, 80, 'This report is for the party to whom it is addressed'],
      ]);
    const unchanged = { ...typed('general:owner', 'Jane Smithers', 'Jane Smithers'), edited: false };
    const ownerFor = (value: string) =>
      applyTemplates(
        [deed('The Mayor of Looe')],
        { 'general:owner': { value, confidence: 0.76, source: 'text', page: 1, bbox: null, text: '' } },
        [{ id: 't', lessons: [learnLesson([deed('Jane Smithers')], [unchanged], schema)] }],
        schema,
      ).fields['general:owner']!.value;
    expect(ownerFor('The Mayor of Looe whose')).toBe('The Mayor of Looe');
    expect(ownerFor('The Mayor of Looe registered')).toBe('The Mayor of Looe registered');
  });

  it('ends a value before words of the form that the reader takes for more of it', () => {
    const passport = (issuer: string, rest = ' under a contract with the association'): ReadPage =>
      pageOf([
        [40, 40, 'Passport of an apartment house'],
        [40, 60, 'The survey was made in August'],
        [40, 80, 'Prepared by the organization'],
        [40, 100, `${issuer}${rest}`],
      ]);
    const issuerFor = (value: string, rest?: string) =>
      applyTemplates(
        [passport('Bede Surveys', rest)],
        { 'general:issuer': { value, confidence: 0.5, source: 'text', page: 1, bbox: null, text: '' } },
        learned(passport('Northern Plans'), {
          ...typed('general:issuer', 'Northern Plans', 'Northern Plans'),
          edited: false,
        }),
        schema,
      ).fields['general:issuer']!.value;
    expect(issuerFor('Bede Surveys under a contract')).toBe('Bede Surveys');
    expect(issuerFor('Bede Surveys of Durham')).toBe('Bede Surveys of Durham');
    expect(issuerFor('Bede Surveys of Durham', '')).toBe('Bede Surveys of Durham');
  });

  it('replaces a sure value of the reader that lacks words in its middle or breaks off', () => {
    const read = (value: string) =>
      applyTemplates(
        [register(['Mary of the Brown House'], '9-1')],
        { 'general:owner': { value, confidence: 0.97, source: 'text', page: 1, bbox: null, text: '' } },
        learned(register(['Jane Smithers'], '11-2'), {
          ...typed('general:owner', 'Jane Smithers', 'Jane Smithers'),
          edited: false,
        }),
        schema,
      ).fields['general:owner']!.value;
    expect(read('Mary Brown House')).toBe('Mary of the Brown House');
    expect(read('Mary of the')).toBe('Mary of the Brown House');
    expect(read('Brown House')).toBe('Brown House');
  });

  const register = (owner: readonly string[], reference: string, shift = 0, note = ''): ReadPage =>
    pageOf([
      [40, 20, 'Municipal register of dwellings and their parts'],
      [40, 60, 'Proprietor of the dwelling'],
      ...owner.map((text, i): Line => [240, 60 + 14 * i, text]),
      ...(note === '' ? [] : [[240, 60 + 14 * owner.length, note] as const]),
      [40, 70 + 20 * owner.length, 'Condition of the masonry'],
      [240, 70 + 20 * owner.length, 'sound'],
      [40 + shift, 180, 'Reference'],
      [100 + shift, 180, reference],
      [40, 220, 'Signed by the clerk before two witnesses'],
    ]);
  const learned = (page: ReadPage, ...values: ConfirmedValue[]) => [
    { id: 't', lessons: [learnLesson([page], values, schema)] },
  ];
  const TRUST = ['The Trustees of the Bede Memorial', 'Institute at Durham'];

  it('gives the line below two blanks to the one that it belongs to', () => {
    const card = (town: string, region: Line, street: string): ReadPage =>
      pageOf([
        [40, 20, 'Technical passport of an individual dwelling house'],
        [40, 60, 'Town (settlement, village)'],
        [210, 60, town],
        [380, 60, 'region, district'],
        region,
        [40, 94, 'Street (lane)'],
        [130, 94, street],
        [40, 134, 'Drawn up on request of the owner as of the survey date'],
      ]);
    const address = 'Labinsk, Kuban Region, Mill Road 88';
    const page = card('Gorodok', [40, 74, 'Altai Region, Minor District'], 'Elm Road 3');
    const templates = learned(
      card('Labinsk', [490, 60, 'Kuban Region'], 'Mill Road 88'),
      typed('general:address', address),
    );
    const { fields } = applyTemplates([page], {}, templates, schema);
    expect(fields['general:address']).toMatchObject({ value: 'Gorodok, Altai Region, Minor District, Elm Road 3' });
  });

  it('keeps the number at the place of a corrected text', () => {
    const number = typed('general:inventory_number', '1402', 'Bureau-4');
    const templates = learned(register(['Jane Smithers'], '1402'), number);
    const own = { value: 'Bureau-7', confidence: 0.1, source: 'text', page: 1, bbox: null, text: '' } as const;
    const page = register(['Mary Brown'], '9817');
    const { fields } = applyTemplates([page], { 'general:inventory_number': own }, templates, schema);
    expect(fields['general:inventory_number']).toMatchObject({ value: '9817' });
  });

  it('learns a value as it stands, not with the same word of a label below it', () => {
    const card = (region: string): ReadPage =>
      pageOf([
        [40, 20, 'Technical passport of an individual dwelling house'],
        [40, 60, '1. The house stands in'],
        [180, 60, region],
        [180, 76, '(oblast, region, district)'],
        [40, 92, 'Mill Road 88'],
        [140, 108, '(street, number of the house)'],
        [40, 140, 'Drawn up on request of the owner as of the survey date'],
      ]);
    const address = 'Perm Region, Kizelovsky district, Mill Road 88';
    const templates = learned(card('Perm Region, Kizelovsky district'), typed('general:address', address));
    const { fields } = applyTemplates([card('Bashkiria')], {}, templates, schema);
    expect(fields['general:address']).toMatchObject({ value: 'Bashkiria, Mill Road 88' });
  });

  it('reads a text with more lines than the corrected one had', () => {
    const templates = learned(register(['Jane Smithers'], '11-2'), typed('general:owner', 'Jane Smithers'));
    const { fields } = applyTemplates([register(TRUST, '9-1')], {}, templates, schema);
    expect(fields['general:owner']).toMatchObject({ value: TRUST.join(' ') });
  });

  it('ends a text where another value of the document starts', () => {
    const list = (issuer: string, year: string): ReadPage =>
      pageOf([
        [40, 20, 'Insurance list of a building that stands in the countryside'],
        [40, 60, `${issuer} ${year}`],
        [40, 100, 'Signed by the clerk before two witnesses'],
      ]);
    const templates = learned(
      list('Bede Surveys', '1978'),
      typed('general:issuer', 'Bede Surveys', 'Insurance Bede Surveys'),
      typed('general:year_built', 1978),
    );
    const [issuer] = templates[0]!.lessons[0]!.fields.filter(({ key }) => key === 'general:issuer');
    expect(issuer).toMatchObject({ verified: false, leans: true });
    const { fields } = applyTemplates([list('Office of the Surveyor', '1956')], {}, templates, schema);
    expect(fields['general:issuer']).toMatchObject({ value: 'Office of the Surveyor' });
  });

  it('reads no further line where another text stood below the corrected one', () => {
    const first = register(['Jane Smithers'], '11-2', 0, '12 Hill Street');
    const templates = learned(first, typed('general:owner', 'Jane Smithers'));
    const { fields } = applyTemplates([register(['Alan Trevithick'], '9-1', 0, '4 Birch Lane')], {}, templates, schema);
    expect(fields['general:owner']).toMatchObject({ value: 'Alan Trevithick' });
  });

  it('finds a label that moved along its line', () => {
    const taught = learnLesson(
      [register(['Jane Smithers'], '11-2')],
      [typed('general:owner', 'Jane Smithers')],
      schema,
    );
    const moved = createFormDocument([register(['Alan Trevithick'], '9-1', 90)]);
    expect(matchForm(taught, moved)!.tokens.size).toBe(taught.words.length);
  });

  it('keeps a longer text of the reader that starts with the text of the template', () => {
    const unchanged = { ...typed('general:owner', 'Jane Smithers', 'Jane Smithers'), edited: false };
    const own = { confidence: 0.6, source: 'text' as const, page: 1, bbox: null, text: '' };
    const fieldsFor = (value: string) =>
      applyTemplates(
        [register(['Alan Trevithick'], '9-1')],
        { 'general:owner': { ...own, value } },
        learned(register(['Jane Smithers'], '11-2'), unchanged),
        schema,
      ).fields;
    expect(fieldsFor('Alan Trevithick Estate')['general:owner']).toMatchObject({ value: 'Alan Trevithick Estate' });
    expect(fieldsFor('the late Trevithick')['general:owner']).toMatchObject({ value: 'Alan Trevithick' });
  });

  describe('where reader and template start elsewhere', () => {
    const headed = (above: string, office: string): ReadPage =>
      pageOf([
        [40, 20, 'Карточка учета жилых строений'],
        [40, 50, above],
        [40, 62, office],
        [40, 100, 'Составил техник бюро инвентаризации'],
      ]);
    const issuerOf = (page: ReadPage, value: string, corrected: boolean, bbox: Box | null = null) => {
      const earlier = headed('', 'Бюро Кашина');
      const taught = typed('general:issuer', 'Бюро Кашина', 'Бюро Кашина');
      const own = { value, confidence: 0.8, source: 'text' as const, page: 1, bbox, text: '' };
      const templates = learned(earlier, { ...taught, edited: corrected });
      return applyTemplates([page], { 'general:issuer': own }, templates, schema).fields['general:issuer']?.value;
    };

    it('keeps the start of the reader, which had read the form right', () => {
      const page = headed('', 'Сектор: Бюро Твери');
      expect(issuerOf(page, 'Бюро Твери', false)).toBe('Бюро Твери');
      expect(issuerOf(page, 'Бюро Твери', true)).toBe('Сектор: Бюро Твери');
    });

    it('takes the words of the template after which the text goes on', () => {
      expect(issuerOf(headed('', 'Сектор и Бюро Твери'), 'Бюро Твери', false)).toBe('Сектор и Бюро Твери');
    });

    it('keeps the words of the reader on the line above, unless they are words of the form', () => {
      const area = (y: number): Box => [40 / 600, y / 800, 0.9, 72 / 800];
      const office = 'Филиал управы Бюро Твери';
      expect(issuerOf(headed('Филиал управы', 'Бюро Твери'), office, true, area(50))).toBe(office);
      const label = 'Карточка учета Бюро Твери';
      expect(issuerOf(headed('', 'Бюро Твери'), label, true, area(20))).toBe('Бюро Твери');
    });
  });

  it('reads no code of a condition from the column beside a text of two lines', () => {
    const schedule = (roof: readonly [string, string], codes: string): ReadPage =>
      pageOf([
        [40, 20, 'Schedule of elements and their condition'],
        [40, 50, 'Roof covering'],
        [160, 44, roof[0]],
        [300, 50, codes[0]!],
        [160, 56, roof[1]],
        ...['Windows', 'Kitchen', 'Wiring'].flatMap((element, i): Line[] => [
          [40, 80 + 30 * i, `${element} installed`],
          [300, 80 + 30 * i, codes[i + 1]!],
        ]),
      ]);
    const taught = typed('construction:roof', 'concrete slabs and felt');
    const templates = learned(schedule(['concrete slabs', 'and felt'], 'BCBA'), taught);
    const page = schedule(['interlocking clay', 'tiles on battens'], 'CABB');
    const { fields } = applyTemplates([page], {}, templates, schema);
    expect(fields['construction:roof']).toMatchObject({ value: 'interlocking clay tiles on battens' });
  });

  it('takes a word that starts a label for a word of the form, though a value has it in lower case', () => {
    const card = pageOf([
      [40, 20, 'Карточка учета строений'],
      [40, 60, 'Дом'],
      [240, 60, 'Садовая'],
      [40, 90, 'жилой дом'],
    ]);
    const { words } = learnLesson([card], [typed('general:purpose', 'жилой дом')], schema);
    expect(words.map(({ x0, y0 }) => [x0, y0])).toContainEqual([40, 60]);
  });

  it('writes the kind of a street once, and nothing of a missing part', () => {
    const card = (district: string, street: string): ReadPage =>
      pageOf([
        [40, 20, 'Карточка учета жилых строений'],
        [40, 60, 'Город'],
        [240, 60, 'Ирбит'],
        [40, 90, 'Район города'],
        [240, 90, district],
        [40, 120, 'Улица'],
        [240, 120, street],
        [40, 160, 'Составил техник бюро инвентаризации'],
      ]);
    const taught = typed('general:address', 'г. Ирбит, Северный район, ул. Садовая');
    const templates = learned(card('Северный', 'Садовая'), taught);
    const addressOf = (district: string, street: string) =>
      applyTemplates([card(district, street)], {}, templates, schema).fields['general:address']?.value;
    expect(addressOf('Южный', 'Лесная')).toBe('г. Ирбит, Южный район, ул. Лесная');
    expect(addressOf('Южный', 'пер. Кузнечный')).toBe('г. Ирбит, Южный район, пер. Кузнечный');
    expect(addressOf('', 'Лесная')).toBe('г. Ирбит, ул. Лесная');
  });

  it('writes no kind behind a name that has one, and no full stop behind `край`', () => {
    const card = (region: string, street: string): ReadPage =>
      pageOf([
        [40, 20, 'Карточка учета жилых строений'],
        [40, 60, 'Край, область, республика'],
        [240, 60, region],
        [40, 120, 'Улица'],
        [240, 120, street],
        [40, 160, 'Составил техник бюро инвентаризации'],
      ]);
    const templates = learned(card('Тверская', 'Садовая'), typed('general:address', 'Тверская обл., Садовая ул.'));
    const addressOf = (region: string, street: string) =>
      applyTemplates([card(region, street)], {}, templates, schema).fields['general:address']?.value;
    expect(addressOf('Псковская', 'Лесная')).toBe('Псковская обл., Лесная ул.');
    expect(addressOf('Республика Коми', 'просп. Мира')).toBe('Республика Коми, просп. Мира');
    expect(addressOf('Пермский край', 'Лесная')).toBe('Пермский край, Лесная ул.');
  });

  it('separates the neighbours of a missing part as typed', () => {
    const card = (first: string, patronymic: string, last: string): ReadPage =>
      pageOf([
        [40, 20, 'Карточка учета жилых строений'],
        [40, 60, 'Фамилия владельца'],
        [240, 60, last],
        [40, 90, 'Имя владельца'],
        [240, 90, first],
        [40, 120, 'Отчество владельца'],
        [240, 120, patronymic],
        [40, 160, 'Составил техник бюро инвентаризации'],
      ]);
    const taught = typed('general:owner', 'Ковалёв Мирон Юрьевич');
    const templates = learned(card('Мирон', 'Юрьевич', 'Ковалёв'), taught);
    const ownerOf = (first: string, patronymic: string, last: string) =>
      applyTemplates([card(first, patronymic, last)], {}, templates, schema).fields['general:owner']?.value;
    expect(ownerOf('Егор', 'Павлович', 'Седых')).toBe('Седых Егор Павлович');
    expect(ownerOf('', 'Павлович', 'Седых')).toBe('Седых Павлович');
  });

  it('does not repeat a quotation mark that a word of the page already has', () => {
    const card = (year: string): ReadPage =>
      pageOf([
        [40, 20, 'Карточка учета жилых строений'],
        [40, 60, 'Областное предприятие «Костромаучёт»'],
        [40, 90, 'Год постройки'],
        [240, 90, year],
        [40, 160, 'Составлено'],
        [140, 160, 'Галичское бюро'],
      ]);
    const name = 'Областное предприятие «Костромаучёт», Галичское бюро';
    const templates = learned(card('1961'), typed('general:issuer', name));
    const { fields } = applyTemplates([card('1974')], {}, templates, schema);
    expect(fields['general:issuer']?.value).toBe(name);
  });

  it('closes the bracket before a missing part', () => {
    const card = (office: string, district: string, city: string): ReadPage =>
      pageOf([
        [400, 5, `Бюро ${office} улуса`],
        [40, 20, 'Карточка учета жилых строений'],
        [40, 60, 'Субъект РФ'],
        [240, 60, 'Республика Саха'],
        [420, 60, '(Якутия)'],
        [40, 90, 'Улус или район'],
        [240, 90, district],
        [40, 120, 'Город'],
        [240, 120, city],
        [40, 160, 'Составил техник бюро инвентаризации'],
      ]);
    const taught = typed('general:address', 'Республика Саха (Якутия), Алданский улус, г. Томмот');
    const templates = learned(card('Алданского', 'Алданский', 'Томмот'), taught);
    const addressOf = (district: string, city: string) =>
      applyTemplates([card('Ленского', district, city)], {}, templates, schema).fields['general:address']?.value;
    expect(addressOf('Ленский', 'Витим')).toBe('Республика Саха (Якутия), Ленский улус, г. Витим');
    expect(addressOf('', 'Ленск')).toBe('Республика Саха (Якутия), г. Ленск');
  });

  it('takes initials for no word of the form', () => {
    const card = (name: string, year: number): ReadPage =>
      pageOf([
        [40, 20, 'Карточка учета жилых строений'],
        [40, 78, 'Старший прораб'],
        [200, 78, name],
        [year, 78, 'г.'],
        [40, 160, 'Составил техник бюро инвентаризации'],
      ]);
    const templates = learned(card('Лис И. Ф.', 266), typed('general:head', 'Лис И. Ф.'));
    const { fields } = applyTemplates([card('Подольский Г. С.', 320)], {}, templates, schema);
    expect(fields['general:head']).toMatchObject({ value: 'Подольский Г. С.' });
  });

  it('takes a word of a corrected value that the page lacks for no word of the form', () => {
    const card = (upper: string, lower: string): ReadPage =>
      pageOf([
        [40, 20, 'Карточка учета жилых строений'],
        [40, 78, 'Стены'],
        [200, 78, upper],
        [200, 92, lower],
        [40, 160, 'Составил техник бюро инвентаризации'],
      ]);
    const walls = typed('construction:wall_material', 'Кирпичные, бетон, деревянные');
    const templates = learned(card('Кирпичные', 'деревянные'), walls);
    const { fields } = applyTemplates([card('Саманные', 'каркасные')], {}, templates, schema);
    expect(fields['construction:wall_material']?.value ?? '').toBe('');
  });

  it('reads a number whose parts have ruled cells of their own', () => {
    const card = (...parts: string[]): ReadPage => ({
      ...pageOf([
        [40, 20, 'Карточка учета жилых строений'],
        [40, 60, 'Условный номер объекта'],
        ...parts.map((text, i): Line => [204 + 60 * i, 60, text]),
        [40, 160, 'Составил техник бюро инвентаризации'],
      ]),
      rules: [
        ...[52, 78].map((y): Box => [200 / 600, y / 800, 380 / 600, y / 800]),
        ...[200, 260, 320, 380].map((x): Box => [x / 600, 52 / 800, x / 600, 78 / 800]),
      ],
    });
    const templates = learned(
      card('66', '0403006', '17/3182'),
      typed('general:cadastral_number', '66:0403006:17/3182'),
    );
    const { fields } = applyTemplates([card('23', '1701012', '2/745')], {}, templates, schema);
    expect(fields['general:cadastral_number']).toMatchObject({ value: '23:1701012:2/745' });
  });

  describe('an address whose parts stand in the title and in a sentence', () => {
    const passport = (flat: string, house: string, street: string, city: string): ReadPage =>
      pageOf([
        [40, 20, 'Карточка учета жилых помещений'],
        [180, 60, `квартиры № ${flat}`],
        [40, 90, `в доме № ${house} по ул. ${street} города ${city}`],
        [40, 160, 'Составил техник бюро инвентаризации'],
      ]);
    const first = passport('118', '47', 'Институтская', 'Кашин');
    const next = passport('64', '9б', 'Унжакова', 'Тайга');

    it('is read with all its parts, in the order that a person typed', () => {
      const templates = learned(first, typed('general:address', 'г. Кашин, ул. Институтская, д. 47, кв. 118'));
      const { fields } = applyTemplates([next], {}, templates, schema);
      expect(fields['general:address']?.value).toBe('г. Тайга, ул. Унжакова, д. 9б, кв. 64');
    });

    it('stays as unsure as it is, where the place of the template does not give what the person typed', () => {
      const corrected = {
        ...typed(
          'general:address',
          '47 по ул. Институтская города Кашин, кв. 8118',
          '47 по ул. Институтская города Кашин',
        ),
        page: 1,
        bbox: [0.17, 0.11, 0.7, 0.126] as const,
      };
      const value = '9б по ул. Унжакова города Тайга';
      const own = { value, confidence: 0.16, source: 'text' as const, page: 1, bbox: null, text: value };
      const { fields, template } = applyTemplates(
        [next],
        { 'general:address': own },
        learned(first, corrected),
        schema,
      );
      expect(template).toBeDefined();
      expect(fields['general:address']).toMatchObject({ value, confidence: 0.16 });
    });
  });

  it('repeats no bracket at the end of an address of several places', () => {
    const card = (flat: string): ReadPage =>
      pageOf([
        [40, 20, 'Карточка учета нежилых помещений'],
        [40, 60, 'Улица'],
        [240, 60, 'Беспалова'],
        [40, 90, 'Помещение'],
        [240, 90, flat],
        [40, 160, 'Составил техник бюро инвентаризации'],
      ]);
    const templates = learned(card('3 (I)'), typed('general:address', 'ул. Беспалова, пом. 3 (I)'));
    const addressOf = (flat: string) =>
      applyTemplates([card(flat)], {}, templates, schema).fields['general:address']?.value;
    expect([addressOf('12'), addressOf('4 (II)')]).toEqual(['ул. Беспалова, пом. 12', 'ул. Беспалова, пом. 4 (II)']);
  });

  it.each([
    ['shown by the day', '06/17/1998', '1998-06-17'],
    ['that a person corrected', '03/04/1998', '1998-03-04'],
  ])('reads dates with the month first, %s', (_, printed, value) => {
    const card = (date: string): ReadPage =>
      pageOf([
        [40, 20, 'Property record card of the county'],
        [40, 60, 'Date of the inspection'],
        [240, 60, date],
        [40, 160, 'Listed by the assessor of dwellings'],
      ]);
    const templates = learned(card(printed), typed('general:issue_date', value));
    const { fields } = applyTemplates([card('11/03/1999')], {}, templates, schema);
    expect(fields['general:issue_date']?.value).toBe('1999-11-03');
  });

  it('takes a single letter of a corrected address for a value, not for a word of the form', () => {
    const card = (house: string, block: string): ReadPage =>
      pageOf([
        [40, 20, 'Карточка учета жилых строений'],
        [40, 60, 'Улица'],
        [240, 60, 'Беспалова'],
        [40, 90, 'Дом'],
        [240, 90, house],
        [40, 120, 'Корпус'],
        [240, 120, block],
        [40, 160, 'Составил техник бюро инвентаризации'],
      ]);
    const templates = learned(card('110', 'б'), typed('general:address', 'ул. Беспалова, д. 110, корп. б'));
    const addressOf = (house: string, block: string) =>
      applyTemplates([card(house, block)], {}, templates, schema).fields['general:address']?.value;
    expect(addressOf('5', 'в')).toBe('ул. Беспалова, д. 5, корп. в');
    expect(addressOf('5', '—')).toBe('ул. Беспалова, д. 5');
  });

  it('reads what stands behind another option, without its name', () => {
    const boxes = (ticked: number, other = ''): ReadPage =>
      pageOf([
        [40, 40, 'Карточка учета жилых строений'],
        [40, 70, 'Фундамент'],
        ...['ленточный', 'плита', `иное: ${other}`].flatMap((text, i): Line[] => [
          [100 + 110 * i, 70, i === ticked ? '☒' : '☐'],
          [110 + 110 * i, 70, text.trim()],
        ]),
        [40, 160, 'Составил техник бюро инвентаризации'],
      ]);
    const templates = learned(boxes(0), typed('construction:foundation', 'ленточный'));
    const { fields } = applyTemplates([boxes(2, 'бутовые столбы')], {}, templates, schema);
    expect(fields['construction:foundation']).toMatchObject({ value: 'бутовые столбы' });
  });

  it('finds the first row of a table when its number has a thousands separator', () => {
    const cells = [1210, 386, 158].flatMap((area, i) => [
      typed(`rooms:${i + 1}.no`, String(i + 1)),
      typed(`rooms:${i + 1}.name`, 'hall'),
      typed(`rooms:${i + 1}.area`, area),
    ]);
    const lessons = [learnLesson([roomTable(['1 210.0', '386.0', '158.0'])], cells, schema)];
    expect(lessons[0]!.tables[0]).toMatchObject({ verifiedShare: 1 });
    const { fields } = applyTemplates([roomTable(['2 405.5', '77.0'])], {}, [{ id: 't', lessons }], schema);
    expect(fields).toMatchObject({ 'rooms:1.area': { value: 2405.5 }, 'rooms:2.area': { value: 77 } });
    expect(Object.keys(fields)).toHaveLength(6);
  });

  it('places the first row of a table by the distance of the others when OCR misread it', () => {
    const cells = [1210, 386, 158, 92, 41].flatMap((area, i) => [
      typed(`rooms:${i + 1}.name`, 'hall'),
      typed(`rooms:${i + 1}.area`, area),
    ]);
    const lessons = [learnLesson([roomTable(['12100', '386.0', '158.0', '92.0', '41.0'])], cells, schema)];
    const { fields } = applyTemplates([roomTable(['45.5', '77.0', '61.2'])], {}, [{ id: 't', lessons }], schema);
    expect(fields).toMatchObject({ 'rooms:1.area': { value: 45.5 }, 'rooms:3.area': { value: 61.2 } });
  });

  it('removes a field where a person cleared it', () => {
    const bbox = [0.4, 0.148, 0.6, 0.17] as const;
    const shown = { page: 1, bbox, original: 1978 };
    const cleared = learnLesson([form(FIRST)], [{ ...typed('general:year_built', null), ...shown }], schema);
    const own = { value: 1956, confidence: 0.9, source: 'text' as const, page: 1, bbox, text: '1956' };
    const fields = { 'general:year_built': own };
    const applied = applyTemplates([form(SECOND)], fields, [{ id: 't', lessons: [cleared] }], schema);
    expect(applied.template).toBeDefined();
    expect(applied.fields).toEqual({});
    const sure = { 'general:year_built': { ...own, confidence: 0.98 } };
    const kept = applyTemplates([form(SECOND)], sure, [{ id: 't', lessons: [cleared] }], schema);
    expect(kept.fields['general:year_built']).toMatchObject({ value: 1956, disagrees: true });
  });

  it('reads a value at its place if its lesson has a method of an earlier version', () => {
    const lesson = learnLesson([form(FIRST)], [typed('general:year_built', 1978)], schema);
    const earlier = lesson.fields.map(({ inText: _, parts, ...field }) => ({
      ...field,
      parts: parts.map((part) => ({ ...part, by: 'before' as 'place' })),
    }));
    const lessons = [{ ...lesson, fields: earlier }];
    const { fields } = applyTemplates([form(SECOND)], {}, [{ id: 't', lessons }], schema);
    expect(fields['general:year_built']?.value).toBe(1956);
  });

  it('disputes a value where a person corrected one, if the right place is empty', () => {
    const bbox = [0.34, 0.098, 0.5, 0.115] as const;
    const shown = { page: 1, bbox };
    const corrected = learnLesson([form(FIRST)], [{ ...typed('general:year_built', 1978, 12), ...shown }], schema);
    const own = { value: 1904, confidence: 0.9, source: 'text' as const, page: 1, bbox, text: '4' };
    const page = form({ ...SECOND, year: '____' });
    const { fields } = applyTemplates(
      [page],
      { 'general:year_built': own },
      [{ id: 't', lessons: [corrected] }],
      schema,
    );
    expect(fields['general:year_built']).toMatchObject({ value: 1904, confidence: 0.85, disagrees: true });
  });
});

describe('Learning', () => {
  it('teaches nothing for a value that is not on the page', () => {
    const { lesson: taught } = teach(
      { kind: 'learn', pages: [form(FIRST)], values: [typed('general:owner', 'Jane Smithers')], templates: [] },
      schema,
    );
    expect(taught).toBeUndefined();
  });

  it('drops words that the second document on the form does not have', () => {
    const named = (facts: Facts, name: string) => ({
      ...form(facts),
      words: [...form(facts).words, ...pageOf([[300, 700, name]]).words],
    });
    const first = learnLesson([named(FIRST, 'Featherstone')], CORRECTIONS, schema);
    const stored = { document: 'first', lesson: first, dropped: [] };
    const values = [typed('general:year_built', 1956)];
    const templates = [{ id: 't', lessons: [stored] }];
    const taught = teach({ kind: 'learn', pages: [named(SECOND, 'Cholmondeley')], values, templates }, schema);
    expect(taught.template).toBe('t');
    const [{ words, hashes }] = taught.dropped as [(typeof taught.dropped)[number]];
    expect(words.map((index) => first.words[index]!.hash)).toEqual(hashes);
    expect(words).toHaveLength(1);
    const page = createFormDocument([form(SECOND)]);
    expect(matchForm(first, page)!.score).toBeLessThan(1);
    expect(matchForm(usedLesson({ ...stored, dropped: words }), page)!.score).toBe(1);
  });

  it('drops words that an earlier document on the form did not have either', () => {
    const named = (facts: Facts, name: string) => ({
      ...form(facts),
      words: [...form(facts).words, ...pageOf([[300, 700, name]]).words],
    });
    const first = learnLesson([named(FIRST, 'Featherstone')], CORRECTIONS, schema);
    const droppedBy = (name: string, dropped: readonly number[]) => {
      const templates = [{ id: 't', lessons: [{ document: 'first', lesson: first, dropped }] }];
      const values = [typed('general:year_built', 1956)];
      return teach({ kind: 'learn', pages: [named(SECOND, name)], values, templates }, schema).dropped;
    };
    const earlier = droppedBy('Cholmondeley', []);
    expect(droppedBy('Willoughby', earlier[0]!.words)).toEqual(earlier);
    expect(droppedBy('Featherstone', earlier[0]!.words)).toEqual([]);
  });

  it('finds the columns of 300 equal rooms', () => {
    const rooms = Array.from({ length: 300 }, (_, i): [ConfirmedValue[], Line[]] => [
      [typed(`rooms:${i + 1}.name`, 'hall'), typed(`rooms:${i + 1}.area`, 4.1), typed(`rooms:${i + 1}.height`, 2.5)],
      ['hall', '4.1', '2.50'].map((text, column): Line => [40 + 140 * column, 20 * i, text]),
    ]);
    const values = rooms.flatMap(([cells]) => cells);
    const taught = learnLesson([pageOf(rooms.flatMap(([, lines]) => lines))], values, schema);
    expect(taught.tables[0]!.groups[0]!.columns.map(({ key }) => key)).toEqual(['name', 'area', 'height']);
  });

  it('finds no template in 5,000 equal words on a page', () => {
    const lines = Array.from({ length: 5000 }, (_, i): Line => [6 * (i % 70), 1.5 * Math.floor(i / 7), 'taxation']);
    const page = pageOf(lines);
    const taught = learnLesson([page], CORRECTIONS, schema);
    const applied = applyTemplates([page], {}, [{ id: 't', lessons: [lesson] }], schema);
    expect(applied.template).toBeUndefined();
    expect(taught.fields.every(({ parts }) => parts.length === 0)).toBe(true);
  });
});
