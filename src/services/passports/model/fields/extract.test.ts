import { describe, expect, it } from 'vitest';
import { applyCrossChecks } from '../../cross-checks.ts';
import { type ReadPage, type Rule, uprightFrame, type Word } from '../../page-geometry.ts';
import { loadSchema } from '../../schema/load-schema.ts';
import { extractByLabels } from './extract.ts';
import { normalizeHomoglyphs } from './homoglyphs.ts';

const schema = loadSchema();
const WIDTH = 600;
const HEIGHT = 800;

/** Words of text lines at (x, y) in points; letters are 6 pt wide and 10 pt high. */
function words(
  lines: readonly (readonly [x: number, y: number, text: string])[],
  confidence: number | null = null,
): Word[] {
  return lines.flatMap(([x, y, text]) =>
    [...text.matchAll(/\S+/gu)].map(({ 0: word, index }) => ({
      text: word,
      box: [(x + 6 * index) / WIDTH, y / HEIGHT, (x + 6 * (index + word.length)) / WIDTH, (y + 10) / HEIGHT] as const,
      confidence,
    })),
  );
}
const level = (x0: number, x1: number, y: number): Rule => [x0 / WIDTH, y / HEIGHT, x1 / WIDTH, y / HEIGHT];
const plumb = (x: number, y0: number, y1: number): Rule => [x / WIDTH, y0 / HEIGHT, x / WIDTH, y1 / HEIGHT];
const page = (lines: Parameters<typeof words>[0], rules: Rule[] = [], more: Partial<ReadPage> = {}): ReadPage => ({
  page: 1,
  width: WIDTH,
  height: HEIGHT,
  turn: 0,
  reader: 'text',
  words: words(lines),
  rules,
  ...more,
});
const values = (...pages: ReadPage[]) =>
  Object.fromEntries(Object.entries(extractByLabels(pages, schema)).map(([key, { value }]) => [key, value]));

describe('extractByLabels: single fields', () => {
  it('finds a value after its label, to the right of it, or below it in a table', () => {
    const right = values(
      page([
        [40, 40, 'Год постройки: 1974'],
        [40, 60, 'Материал стен'],
        [300, 60, 'кирпичные'],
      ]),
    );
    expect(right).toMatchObject({ 'general:year_built': 1974, 'construction:wall_material': 'кирпичные' });
    const rules = [
      level(40, 440, 30),
      level(40, 440, 50),
      level(40, 440, 70),
      plumb(40, 30, 70),
      plumb(240, 30, 70),
      plumb(440, 30, 70),
    ];
    const below = values(
      page(
        [
          [50, 35, 'Кадастровый номер'],
          [250, 35, 'Инвентарный номер'],
          [50, 55, '52:10:0090024:417'],
          [250, 55, '4471/12'],
        ],
        rules,
      ),
    );
    expect(below).toEqual({ 'general:cadastral_number': '52:10:0090024:417', 'general:inventory_number': '4471/12' });
  });

  it('finds a date after an unknown noun', () => {
    expect(values(page([[40, 40, 'Карточка составлена 12 марта 1997 г.']]))).toEqual({
      'general:issue_date': '1997-03-12',
    });
  });

  it('does not split a value at the end of an incomplete row separator', () => {
    const broken = page(
      [
        [40, 40, 'Инвентарный номер:'],
        [250, 40, '12645/27'],
      ],
      [level(75, 400, 52)],
    );
    expect(values(broken)).toEqual({ 'general:inventory_number': '12645/27' });
  });

  it('finds a value above a bracketed label', () => {
    const found = values(
      page(
        [
          [150, 40, 'МУП «Бюро технической инвентаризации»'],
          [160, 53, '(наименование органа технической инвентаризации)'],
        ],
        [level(100, 500, 51)],
      ),
    );
    expect(found).toEqual({ 'general:issuer': 'МУП «Бюро технической инвентаризации»' });
  });

  it('ends a value at the next label in the same line', () => {
    const found = values(
      page([[40, 40, '4. Общая площадь ___50,6___ кв.м, в т.ч. жилая ___29,9___ кв.м, подсобная ___20,7___']]),
    );
    expect(found).toEqual({ 'areas:total_area': 50.6, 'areas:living_area': 29.9, 'areas:auxiliary_area': 20.7 });
  });

  it('splits a combined label and value into two fields', () => {
    const found = values(
      page([
        [40, 40, 'Этаж / этажность'],
        [300, 40, '4/9'],
        [40, 70, 'Материал стен; перекрытий'],
        [300, 70, 'кирпичные; железобетонные'],
      ]),
    );
    expect(found).toEqual({
      'general:floor': 4,
      'general:floors': 9,
      'construction:wall_material': 'кирпичные',
      'construction:floors_material': 'железобетонные',
    });
  });

  it('keeps the whole value of a label in two languages', () => {
    const found = values(
      page([
        [40, 40, 'Инвентарный номер / Inventory number'],
        [400, 40, '123/45'],
        [40, 70, 'Материал стен / Wall material'],
        [400, 70, 'кирпич / бетон'],
      ]),
    );
    expect(found).toMatchObject({ 'construction:wall_material': 'кирпич / бетон' });
    expect(Object.values(found)).toContain('123/45');
  });

  it('assembles an address from its parts', () => {
    const blanks = [level(120, 300, 51), level(120, 300, 71), level(90, 150, 91), level(250, 300, 91)];
    const found = values(
      page(
        [
          [40, 40, 'Город'],
          [130, 40, 'Бежецк'],
          [40, 60, 'Улица'],
          [130, 60, 'пер. Речной'],
          [40, 80, 'Дом №'],
          [100, 80, '18'],
          [180, 80, 'квартира №'],
          [260, 80, '31'],
        ],
        blanks,
      ),
    );
    expect(found).toEqual({ 'general:address': 'г. Бежецк, пер. Речной, д. 18, кв. 31' });
  });

  it('ignores values of similar labels that are not in the schema', () => {
    const found = values(
      page([
        [40, 40, 'Год последнего капитального ремонта 1998'],
        [40, 60, 'Дата обследования 12.03.2001'],
        [40, 80, 'Площадь с учётом лоджий, балконов и прочих 52,2'],
      ]),
    );
    expect(found).toEqual({});
  });

  it('recognizes labels in which OCR mixed Latin and Cyrillic letters', () => {
    const scan = page(
      [
        [40, 40, 'Инвентаризационная CTOHMOCTb: 321 920 руб.'],
        [40, 60, 'Год пocтрoйки: 1974'],
      ],
      [],
      { reader: 'tesseract rus+eng' },
    );
    expect(
      values({
        ...scan,
        words: words(
          [
            [40, 40, 'Инвентаризационная CTOHMOCTb: 321 920 руб.'],
            [40, 60, 'Год пocтрoйки: 1974'],
          ],
          0.9,
        ),
      }),
    ).toEqual({
      'general:inventory_value': 321920,
      'general:year_built': 1974,
    });
  });

  it('returns boxes on the page as displayed when the content is rotated', () => {
    const rotated = page([[40, 40, 'Год постройки: 1974']], [], {
      width: HEIGHT,
      height: WIDTH,
      turn: 90,
      reading: uprightFrame(HEIGHT, WIDTH, 90),
    });
    const field = extractByLabels([rotated], schema)['general:year_built']!;
    const [x0, y0, x1, y1] = field.bbox!;
    expect([field.page, field.text, field.source]).toEqual([1, '1974', 'text']);
    // Upright, the box is wide and near the top left corner; rotated by 90° it is tall and at the bottom left.
    expect(x1 - x0).toBeCloseTo(10 / HEIGHT, 5);
    expect(y1 - y0).toBeCloseTo(24 / WIDTH, 5);
    expect(x0).toBeCloseTo(40 / HEIGHT, 5);
  });
});

describe('extractByLabels: tables', () => {
  const grid = (y0: number, y1: number, rows: number): Rule[] => [
    ...Array.from({ length: rows + 1 }, (_, i) => level(40, 440, y0 + (i * (y1 - y0)) / rows)),
    ...[40, 100, 300, 440].map((x) => plumb(x, y0, y1)),
  ];
  const row = (y: number, no: string, name: string, area: string) =>
    [
      [50, y, no],
      [110, y, name],
      [310, y, area],
    ] as const;

  it('reads a table across pages, with or without a repeated header, and skips totals and column numbers', () => {
    const first = page(
      [
        ...row(45, '№', 'Назначение помещения', 'Площадь, кв.м'),
        ...row(65, '1', '2', '3'),
        ...row(85, '1', 'кухня', '8,1'),
      ],
      grid(40, 100, 3),
    );
    const second = {
      ...page([...row(45, '2', 'жилая комната', '17,6'), ...row(65, '', 'Итого', '25,7')], grid(40, 80, 2)),
      page: 2,
    };
    expect(values(first, second)).toEqual({
      'areas:total_area': 25.7,
      'rooms:1.no': '1',
      'rooms:1.name': 'кухня',
      'rooms:1.area': 8.1,
      'rooms:2.no': '2',
      'rooms:2.name': 'жилая комната',
      'rooms:2.area': 17.6,
    });
  });

  it('reads a table without rules by its columns', () => {
    const found = values(
      page([
        ...row(45, '№', 'Наименование', 'Площадь'),
        ...row(65, '1', 'кухня', '8,1'),
        ...row(85, '2', 'шкаф встроенный', '0,6'),
      ]),
    );
    expect(found).toMatchObject({ 'rooms:2.no': '2', 'rooms:2.name': 'шкаф встроенный', 'rooms:2.area': 0.6 });
  });
});

describe('extractByLabels with applyCrossChecks', () => {
  const rooms = (area: string) =>
    applyCrossChecks(
      extractByLabels(
        [
          page([
            [40, 40, 'Общая площадь: 25,7'],
            [50, 65, '№'],
            [110, 65, 'Наименование'],
            [310, 65, 'Площадь'],
            [50, 85, '1'],
            [110, 85, 'кухня'],
            [310, 85, area],
            [50, 105, '2'],
            [110, 105, 'комната'],
            [310, 105, '17,6'],
          ]),
        ],
        schema,
      ),
      schema,
    );

  it('raises the confidence of consistent values and warns about inconsistent ones', () => {
    const consistent = rooms('8,1');
    const inconsistent = rooms('3,1');
    expect(consistent.warnings).toEqual([]);
    expect(inconsistent.warnings).toMatchObject([
      { code: 'SUM_MISMATCH', fields: ['rooms:1.area', 'rooms:2.area', 'areas:total_area'] },
    ]);
    const confidence = (from: typeof consistent) => from.fields['areas:total_area']!.confidence!;
    expect(confidence(consistent)).toBeGreaterThan(confidence(inconsistent));
  });
});

describe('normalizeHomoglyphs', () => {
  it('converts a word to its own alphabet or, if that is ambiguous, to the alphabet of the document', () => {
    expect(normalizeHomoglyphs('Пpoчее', 'latin')).toBe('Прочее');
    expect(normalizeHomoglyphs('Jоhnsоn', 'cyrillic')).toBe('Johnson');
    expect(normalizeHomoglyphs('space', 'cyrillic')).toBe('space');
    expect(normalizeHomoglyphs('ѕрасе', 'cyrillic')).toBe('space');
    expect(normalizeHomoglyphs('CAOA', 'cyrillic')).toBe('САОА');
    expect(normalizeHomoglyphs('кitchen', 'cyrillic')).toBe('kitchen');
    expect(normalizeHomoglyphs('кухнb', 'latin')).toBe('кухнь');
    expect(normalizeHomoglyphs('кг', 'latin')).toBe('кг');
    expect(normalizeHomoglyphs('Жfloor', 'latin')).toBe('Жfloor');
    expect(normalizeHomoglyphs('А', 'latin')).toBe('A');
    expect(normalizeHomoglyphs('52:10', 'cyrillic')).toBe('52:10');
  });
});
