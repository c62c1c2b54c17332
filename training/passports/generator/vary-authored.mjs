// Other values, numbers and typography for an authored form whose values are marked.
import { createContext } from './context.mjs';
import { createRandom } from './random.mjs';
import { createStyle } from './style.mjs';

const MONTHS = [
  [
    'января',
    'февраля',
    'марта',
    'апреля',
    'мая',
    'июня',
    'июля',
    'августа',
    'сентября',
    'октября',
    'ноября',
    'декабря',
  ],
  [
    'January',
    'February',
    'March',
    'April',
    'May',
    'June',
    'July',
    'August',
    'September',
    'October',
    'November',
    'December',
  ],
];
const TEXTS =
  /^(?:general:(?:address|purpose|issuer|owner|head|technician)|address\.|construction:(?!wear)|rooms:name)/;
const COUNTED = /^(?:general:(?:floors|floor)|rooms:no)$/;
const POOL = 400;

/** Random values of one language, to draw texts of a wanted length from. */
function createPool(random, language) {
  const pool = new Map();
  const add = (field, text) => {
    if (/[\p{L}\d]/u.test(text)) pool.set(field, [...(pool.get(field) ?? []), text]);
  };
  for (let i = 0; i < POOL; i++) {
    const context = createContext(random, language, createStyle(random));
    for (const field of ['address', 'purpose', 'issuer', 'owner', 'head', 'technician'])
      add(`general:${field}`, context.text(`general:${field}`));
    for (const part of ['foundation', 'wall_material', 'partitions', 'floors_material', 'roof'])
      add(`construction:${part}`, context.text(`construction:${part}`));
    for (const [part, text] of Object.entries(context.facts.address)) add(`address.${part}`, text ?? '');
    for (const [part, text] of Object.entries(context.facts.bare)) add(`bare.${part}`, text ?? '');
    for (const { name } of context.facts.rooms ?? []) add('rooms:name', name ?? '');
  }
  return pool;
}

/** A pool per language, always the same. */
export const createPools = () =>
  new Map(['ru', 'en'].map((language) => [language, createPool(createRandom(`pool ${language}`), language)]));

/** Changes for `readDocument` of browser.mjs. */
export function varyDocument({ html, read, marks, unknown }, random, pool) {
  const changed = new Map();
  const rate = random.pick([0.5, 0.8, 1]);
  const noise = random.pick([0, 0.3, 0.7]);
  /** A number that is printed twice, as the area and the living area of a room, stays one. */
  const known = new Map();
  const replaceOnce = (field, pieces) => {
    const key = pieces.join('\n');
    const isNumber = /^(?:areas|rooms|total):/.test(field) && !field.endsWith(':name');
    const texts = (isNumber && known.get(key)) || replaceValue(field, pieces, random, pool);
    known.set(key, texts);
    return texts;
  };
  for (const mark of marks) {
    const pieces = mark.ranges.map(({ node, start, end }) => read.nodes[node].text.slice(start, end));
    const isNew = random.chance(rate) && !(mark.field === 'rooms:no');
    const texts = isNew ? replaceOnce(mark.field, pieces) : pieces;
    for (const [i, { node, start, end }] of mark.ranges.entries())
      addTo(changed, node, { start, end, text: texts[i], field: mark.field, group: mark.group });
  }
  for (const { node, start, end } of unknown) {
    const text = read.nodes[node].text.slice(start, end);
    addTo(changed, node, {
      start,
      end,
      text: random.chance(rate) ? newDigits(text, random) : text,
      field: 'unknown',
      group: 0,
    });
  }
  const nodes = read.nodes.flatMap(({ text }, node) => {
    const parts = (changed.get(node) ?? []).sort((a, b) => a.start - b.start);
    let made = '';
    let from = 0;
    const marked = [];
    for (const { start, end, text: value, field, group } of parts) {
      made += changeRest(text.slice(from, start), random, noise);
      if (value !== '') marked.push({ field, group, start: made.length, end: made.length + value.length });
      made += value;
      from = end;
    }
    made += changeRest(text.slice(from), random, noise);
    return made === text && marked.length === 0 ? [] : [{ node, text: made, marks: marked }];
  });
  const width = /size:\s*([\d.]+)mm/.exec(html)?.[1];
  return { nodes, css: randomCss(random, Number(width)) };
}

const addTo = (map, key, one) => map.set(key, [...(map.get(key) ?? []), one]);

/** Other numbers in the text around the values. */
const changeRest = (text, random, share) =>
  text.replace(/\d+/g, (digits) => (digits.length > 1 && random.chance(share) ? newDigits(digits, random) : digits));

/** Other digits with the same format; years stay years. */
function newDigits(text, random) {
  return text.replace(/\d+/g, (digits) => {
    if (/^(?:18|19|20)\d\d$/.test(digits)) return String(random.integer(1930, 2024));
    return [...digits]
      .map((digit, i) => (i === 0 && digit !== '0' ? random.integer(1, 9) : i === 0 ? 0 : random.integer(0, 9)))
      .join('');
  });
}

/** One text per piece; a piece is what one text node shows of the value. */
function replaceValue(field, pieces, random, pool) {
  if (field === 'general:issue_date') return newDate(pieces, random);
  if (COUNTED.test(field))
    return pieces.map((piece) =>
      /^\d{1,2}$/.test(piece) ? String(random.integer(1, piece.length > 1 ? 17 : 9)) : piece,
    );
  if (field.endsWith('height'))
    return pieces.map((piece, i) =>
      i === 0 ? piece[0] + newDigits(piece.slice(1), random) : newDigits(piece, random),
    );
  if (!TEXTS.test(field)) return pieces.map((piece) => newDigits(piece, random));
  const joined = pieces.join(' ');
  const isBoxed = pieces.length > 2 && pieces.every((piece) => piece.length === 1);
  const length = isBoxed ? pieces.length : joined.length;
  const drawn = drawText(field, joined, length, random, pool);
  if (!drawn) return pieces.map((piece) => newDigits(piece, random));
  if (isBoxed) {
    const characters = [...drawn.replace(/\s+/g, '').toUpperCase()];
    return pieces.map((_, i) => characters[i] ?? '');
  }
  if (pieces.length === 1) return [drawn];
  // Words in the shares of the pieces.
  const words = drawn.split(' ');
  const texts = [];
  for (const [i, piece] of pieces.entries()) {
    const rest = pieces.slice(i).join('').length;
    const count =
      i === pieces.length - 1 ? words.length : Math.max(1, Math.round((words.length * piece.length) / rest));
    texts.push(words.splice(0, Math.min(count, Math.max(0, words.length))).join(' '));
  }
  return texts;
}

function drawText(field, text, length, random, pool) {
  const isBare =
    field.startsWith('address.') &&
    !/^\p{L}{1,4}\.|^(?:дом|улица|город|квартира) |(?:ул|обл|край|область|район)\.?$/u.test(text);
  const all = pool.get(isBare ? field.replace('address.', 'bare.') : field) ?? [];
  if (all.length === 0) return undefined;
  let best;
  const wanted = length * (0.7 + 0.6 * random.next());
  for (let i = 0; i < 6; i++) {
    const one = random.pick(all).replace(/[.,;]$/, '');
    if (one.length > length * 1.35 + 4) continue;
    if (!best || Math.abs(one.length - wanted) < Math.abs(best.length - wanted)) best = one;
  }
  if (!best) return undefined;
  if (text === text.toUpperCase() && /\p{L}{3}/u.test(text)) return best.toUpperCase();
  if (/^\p{Ll}/u.test(text)) return best[0].toLowerCase() + best.slice(1);
  return /^\p{Lu}/u.test(text) ? best[0].toUpperCase() + best.slice(1) : best;
}

function newDate(pieces, random) {
  const year = random.integer(1946, 2024);
  const [day, month] = [random.integer(1, 28), random.integer(1, 12)];
  const two = (n) => String(n).padStart(2, '0');
  const text = pieces.join('\n');
  const numeric = /^(\d{1,2})([./-]\s?|\n)(\d{1,2})([./-]\s?|\n)(\d{4}|\d\d)$/.exec(text);
  if (numeric) {
    const [, a, one, b, other, y] = numeric;
    const isAmerican = Number(b) > 12;
    const [first, second] = isAmerican ? [month, day] : [day, month];
    const write = (like, n) => (like.length > 1 ? two(n) : String(n));
    return `${write(a, first)}${one}${write(b, second)}${other}${y.length === 4 ? year : two(year % 100)}`.split('\n');
  }
  const months = MONTHS.find((names) => names.some((name) => text.includes(name)));
  if (!months) return pieces;
  let isDay = true;
  return pieces.map((piece) =>
    piece
      .replace(/\p{L}+/gu, (word) => (months.includes(word) ? months[month - 1] : word))
      .replace(/\d+/g, (digits) => {
        if (digits.length === 4) return String(year);
        if (digits.length > 2 || !isDay) return two(random.integer(46, 99));
        isDay = false;
        return digits.length > 1 ? two(day) : String(random.integer(1, 9));
      }),
  );
}

const FONTS = [
  'Liberation Sans',
  'Liberation Serif',
  'PT Sans',
  'PT Serif',
  'Noto Sans',
  'Noto Serif',
  'Roboto',
  'FreeSerif',
  'Open Sans',
  'DejaVu Sans',
  'PT Sans Narrow',
  'Liberation Mono',
];

/** Font, width, spacing and margins of the pages. */
function randomCss(random, width) {
  const css = [];
  if (random.chance(0.45)) css.push(`body, body * { font-family: '${random.pick(FONTS)}' !important }`);
  if (width && random.chance(0.4))
    css.push(`.page { width: ${Math.round(width * (0.88 + 0.24 * random.next()))}mm !important }`);
  if (random.chance(0.35))
    css.push(
      `.page { padding-left: ${random.integer(4, 26)}mm !important; padding-right: ${random.integer(4, 22)}mm !important }`,
    );
  if (random.chance(0.25)) css.push(`.page { padding-top: ${random.integer(4, 24)}mm !important }`);
  if (random.chance(0.25))
    css.push(`.page, .page * { line-height: ${random.pick([1, 1.1, 1.2, 1.35, 1.5])} !important }`);
  if (random.chance(0.2))
    css.push(`td, th { padding: ${random.integer(0, 6)}px ${random.integer(1, 10)}px !important }`);
  if (random.chance(0.15)) css.push(`td { text-align: ${random.pick(['left', 'center', 'right'])} !important }`);
  if (random.chance(0.1)) css.push(`.page { letter-spacing: ${random.pick([0.2, 0.4, -0.2])}px }`);
  if (random.chance(0.1)) css.push('b, strong, th { font-weight: normal !important }');
  return css.join('\n');
}
