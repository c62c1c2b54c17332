// Tables that look like rooms and are not, the wear by elements with its total, and English room schedules in feet.
import { readFileSync } from 'node:fs';
import { escapeText, label, newGroup, value } from '../markup.mjs';
import { cell, numberFormat, printTable } from './tables.mjs';

const WORDS = JSON.parse(readFileSync(new URL('../vocabulary/lookalikes.json', import.meta.url), 'utf8'));

const titleOf = ({ random }, titles, chance) =>
  random.chance(chance)
    ? `<div style="text-align:${random.pick(['left', 'center'])};${random.chance(0.5) ? 'font-weight:bold' : ''}">${escapeText(random.pick(titles))}</div>`
    : '';

/** A total row: a name over the first columns, then the figures. */
const totalRow = (name, span, figures) => [
  cell(name, { span, quiet: true, align: 'left' }),
  ...figures.map((html) => cell(html)),
];

/** Parts of buildings, outbuildings, materials, openings or land, with the heads of a room table. */
function parts(context) {
  const { random, language } = context;
  const words = WORDS[language];
  const kind = random.pick(words.kinds);
  const names = random.sample(kind.names, random.integer(3, 11));
  const format = numberFormat(random);
  const figures = random.sample(['area', 'height', 'volume', 'count'], random.integer(1, 3));
  if (!figures.includes('area') && random.chance(0.8)) figures.unshift('area');
  const makers = {
    area: () => format(random.integer(10, 900) / 10),
    height: () => format(random.integer(180, 420) / 100, 2),
    volume: () => format(random.integer(10, 400), 0),
    count: () => String(random.integer(1, 12)),
  };
  const isNumbered = random.chance(0.75);
  const letters = random.chance(0.4);
  const columns = [
    ...(isNumbered ? [{ head: escapeText(random.pick(words.no)), align: 'center' }] : []),
    { head: escapeText(random.pick(words.name)), align: 'left' },
    ...figures.map((key) => ({ head: escapeText(random.pick(words[key])), align: random.pick(['center', 'right']) })),
  ];
  const letter = (i) => (language === 'ru' ? 'АБВГДЕЖИКЛМН' : 'ABCDEFGHIJKL')[i];
  const rows = names.map((name, i) => [
    ...(isNumbered ? [letters ? letter(i) : String(i + 1)] : []),
    escapeText(name),
    ...figures.map((key) => makers[key]()),
  ]);
  const total = random.chance(0.4)
    ? [
        totalRow(
          escapeText(random.pick(words.total)),
          columns.length - figures.length,
          figures.map((key) => makers[key]()),
        ),
      ]
    : [];
  return titleOf(context, kind.titles, 0.8) + printTable(context, { columns, rows, total });
}

/** Persons with shares and areas. */
function owners(context) {
  const { random, language } = context;
  const words = WORDS[language];
  const format = numberFormat(random);
  const columns = [
    { head: escapeText(random.pick(words.no)), align: 'center' },
    { head: escapeText(random.pick(words.owners.name)), align: 'left' },
    { head: escapeText(random.pick(words.owners.share)), align: 'center' },
    { head: escapeText(random.pick(words.area)), align: 'right' },
  ];
  const count = random.integer(2, 7);
  const rows = Array.from({ length: count }, (_one, i) => [
    String(i + 1),
    escapeText(context.distract('person')),
    `1/${random.integer(count, 12)}`,
    format(random.integer(60, 900) / 10),
  ]);
  return titleOf(context, words.owners.titles, 0.8) + printTable(context, { columns, rows, alwaysHead: true });
}

/** Wear by elements: weights add up to 100, and the weighted sum is the wear of the building. */
function weightedWear(context) {
  const { random, language } = context;
  const words = WORDS[language];
  const field = 'construction:wear_percent';
  const plain = context.text(field).replace(/[^\d.,].*$/, '');
  const names = random.sample(words.elements, random.integer(5, 11));
  const format = numberFormat(random);
  const weights = names.map(() => random.integer(2, 30));
  const scale = 100 / weights.reduce((sum, one) => sum + one, 0);
  const columns = [
    { head: escapeText(random.pick(words.no)), align: 'center' },
    { head: escapeText(random.pick(words.name)), align: 'left' },
    { head: escapeText(random.pick(words.share)), align: 'center' },
    { head: escapeText(random.pick(words.wear)), align: 'center' },
    {
      head: plain ? label(field, escapeText(random.pick(words.result))) : escapeText(random.pick(words.result)),
      align: 'center',
    },
  ];
  const rows = names.map((name, i) => {
    const weight = Math.max(1, Math.round(weights[i] * scale));
    const wear = random.integer(1, 14) * 5;
    return [String(i + 1), escapeText(name), String(weight), String(wear), format((weight * wear) / 100, 1)];
  });
  const sum = plain ? value(field, escapeText(plain)) : '';
  const total = totalRow(escapeText(random.pick(words.total)), 2, ['100', random.pick(['', 'х', '-', '']), sum]);
  return printTable(context, { columns, rows, total: [total], alwaysHead: true });
}

const feetAndInches = (random, metres) => {
  const inches = Math.round(metres / 0.0254);
  const [feet, rest] = [Math.floor(inches / 12), inches % 12];
  return random.pick([`${feet}'${rest}"`, `${feet}' ${rest}"`, `${feet}'-${rest}"`, `${feet}ft ${rest}in`]);
};

/** English rooms with sizes in feet beside the area in square metres. */
function schedule(context) {
  const { random, facts } = context;
  const words = WORDS.schedule;
  const rooms = facts.rooms.slice(0, random.integer(3, 16));
  if (rooms.length === 0) return parts(context);
  const format = numberFormat(random);
  const hasNumber = random.chance(0.6);
  const keys = random.shuffle([
    'size',
    'metres',
    ...(random.chance(0.35) ? ['feet'] : []),
    ...(random.chance(0.4) ? ['height'] : []),
  ]);
  const heads = { metres: 'rooms:area', height: 'rooms:height' };
  const columns = [
    ...(hasNumber ? [{ head: context.head('rooms:no'), align: 'center' }] : []),
    { head: context.head('rooms:name'), align: 'left' },
    ...keys.map((key) => {
      const text = escapeText(random.pick(words[key]));
      return { head: heads[key] ? label(heads[key], text) : text, align: 'center' };
    }),
  ];
  const times = random.pick([' x ', ' × ', ' by ', 'x']);
  const rows = rooms.map((room) => {
    const group = newGroup();
    const side = Math.sqrt(room.area) * (0.75 + random.next() * 0.5);
    const makers = {
      size: () => escapeText(feetAndInches(random, side) + times + feetAndInches(random, room.area / side)),
      metres: () => value('rooms:area', escapeText(format(room.area)), group),
      feet: () => format(room.area * 10.764, 0),
      height: () => (room.height ? value('rooms:height', escapeText(format(room.height, 2)), group) : ''),
    };
    return [
      ...(hasNumber ? [value('rooms:no', escapeText(room.no), group)] : []),
      value('rooms:name', escapeText(room.name), group),
      ...keys.map((key) => makers[key]()),
    ];
  });
  return titleOf(context, words.titles, 0.7) + printTable(context, { columns, rows, alwaysHead: true });
}

/** A plan: boxes of rooms with their number, often over the area, and the lengths of walls. The values stand in the table of rooms. */
function plan(context) {
  const { random, facts, language } = context;
  const format = numberFormat(random);
  const line = `${random.pick([1, 1, 2])}px solid ${random.pick(['#000', '#222', '#555'])}`;
  const length = () => (random.chance(0.6) ? format(random.integer(80, 900) / 100, 2) : '');
  const kind = random.pick(['over', 'over', 'over', 'slash', 'area', 'number', 'name']);
  const content = ({ no, area, name }) => {
    const [number, size] = [escapeText(no), format(area)];
    if (kind === 'over') return `<span style="border-bottom:1px solid #000">${number}</span><br>${size}`;
    return { slash: `${number}/${size}`, area: size, number, name: `${escapeText(name)}<br>${size}` }[kind];
  };
  const rooms = facts.rooms.slice(0, random.integer(2, 9));
  const perRow = random.integer(1, 5);
  const rows = [];
  for (let at = 0; at < rooms.length; at += perRow) rows.push(rooms.slice(at, at + perRow));
  const boxes = rows.map(
    (row) =>
      `<div style="display:flex">${row
        .map(
          (one) =>
            `<div style="border:${line};flex:${random.pick([1, 1, 1.6, 2])};padding:${random.integer(2, 22)}px 1px;text-align:center;line-height:1.1">${content(one)}${random.chance(0.3) ? `<div style="text-align:${random.pick(['left', 'right'])}">${length()}</div>` : ''}</div>`,
        )
        .join('')}</div>`,
  );
  const walls = random.chance(0.5)
    ? `<div style="display:flex;justify-content:space-around">${rows[0].map(() => `<span>${length()}</span>`).join('')}</div>`
    : '';
  const title = random.pick(
    language === 'ru'
      ? [
          'План квартиры',
          'План квартиры. М 1:100',
          'План дома',
          'ПЛАН',
          'Поэтажный план',
          'План этажа, масштаб 1:200',
          '',
        ]
      : ['Floor plan', 'Sketch plan, not to scale', 'GROUND PLAN', 'Plan, scale 1:100', ''],
  );
  return `<div style="width:${random.integer(35, 90)}%;font-size:${random.pick([0.6, 0.7, 0.8, 0.9])}em"><div style="text-align:center">${title}</div>${walls}${boxes.join('')}</div>`;
}

export const blocks = [
  { name: 'plan', kind: 'other', weight: 5, make: plan },
  { name: 'parts like rooms', kind: 'other', weight: 7, make: parts },
  { name: 'shares of owners', kind: 'other', weight: 1.5, make: owners },
  { name: 'weighted wear', kind: 'other', weight: 3, make: weightedWear },
];

export const roomBlocks = [{ name: 'room schedule', kind: 'rooms', weight: 2, make: schedule }];
