// Finds the words of each value and each room cell of an authored form.
//
// A value is searched as text, so that a mark always shows the value of the truth. Where it is printed more than once, the classes
// of a trained network and the place of the value in the other document of the form decide. What stays uncertain is marked `unknown`.
import { combineParts, describeParts } from '../../../dist/services/passports/model/field-network/page-reading.js';
import { runNetwork } from '../../../dist/services/passports/model/field-network/run-network.js';
import { everyField } from '../../../dist/services/passports/schema/keys.js';
import { loadSchema } from '../../../dist/services/passports/schema/load-schema.js';
import { readValue } from '../../../dist/services/passports/schema/values.js';
import { tokenize } from './generate.mjs';

const SPECS = new Map([...everyField(loadSchema())].map(({ key, spec }) => [key, spec]));
const PARTS = ['region', 'district', 'city', 'street', 'house', 'block', 'flat'].map((part) => `address.${part}`);
const ROOMS = ['no', 'name', 'area', 'living_area', 'auxiliary_area', 'height'].map((column) => `rooms:${column}`);
const TOTALS = ['area', 'living_area', 'auxiliary_area'].map((column) => `total:${column}`);

const totalOf = (key) => key.replace('areas:total_area', 'total:area').replace('areas:', 'total:');

const isSign = (character) => /[\p{L}\d]/u.test(character);
const fold = (text) => text.toLowerCase().replaceAll('ё', 'е');
const signsOf = (text) => [...fold(text)].filter(isSign).join('');

/** The letters and digits of a document in the order of its tree, with what the network says of each. */
export async function describeDocument({ pages, nodes }, session) {
  const signs = [];
  for (const [number, page] of pages.entries()) {
    const { sheet, truth } = tokenize(page, false);
    const words = [...new Set(truth)];
    const numbers = new Map(words.map((word, i) => [word, i]));
    const outputs = [];
    for (const part of describeParts(sheet)) outputs.push(await runNetwork((feeds) => session.run(feeds), part));
    const reading = sheet.tokens.length > 0 ? combineParts(sheet, outputs) : undefined;
    const ofWord = words.map(() => []);
    for (const [i, token] of sheet.tokens.entries()) ofWord[numbers.get(truth[i])].push([i, token.text]);
    for (const [w, word] of words.entries()) {
      const places = word.at.flatMap(({ node, start, end }) =>
        Array.from({ length: end - start }, (_, i) => ({ node, offset: start + i })),
      );
      const owner = [];
      let from = 0;
      for (const [token, text] of ofWord[w]) {
        const at = word.text.indexOf(text, from);
        if (at < 0) continue;
        for (let i = at; i < at + text.length; i++) owner[i] = token;
        from = at + text.length;
      }
      for (let o = 0; o < word.text.length; o++) {
        if (!isSign(word.text[o]) || !places[o]) continue;
        const token = owner[o];
        signs.push({
          sign: fold(word.text[o]),
          ...places[o],
          word: `${number} ${w}`,
          page: number,
          box: word.box,
          startsWord: o === 0 || !isSign(word.text[o - 1]),
          endsWord: o === word.text.length - 1 || !isSign(word.text[o + 1]),
          isFirst: signs.at(-1)?.word !== `${number} ${w}`,
          /** Between this sign and the one before it. */
          gap: /[^\p{L}\d]*$/u.exec(word.text.slice(0, o))[0],
          token: token === undefined ? undefined : `${number} ${token}`,
          probabilityOf: (name) => (token === undefined ? 0 : reading.probabilityOf(token, name)),
        });
      }
    }
  }
  return { signs, stream: signs.map(({ sign }) => sign).join(''), nodes };
}

/** Marks and unknown ranges of both documents of a form: `[{ marks: [{ field, group, key, ranges }], unknown: [range], missing: [key] }]`. */
export function alignForm(documents) {
  const found = documents.map(({ described, truth }) => candidatesOf(described, truth));
  const [one, two] = documents.map(({ truth }) => truth.values);
  // The same value in both documents says nothing of its place.
  const differing = found.map((all) => new Map([...all].filter(([key]) => String(one[key]) !== String(two[key]))));
  return documents.map(({ described, truth }, i) => align(described, truth, found[i], differing[1 - i]));
}

/** Candidates per key. */
function candidatesOf(document, { values, accept = {} }) {
  const found = new Map();
  for (const [key, value] of Object.entries(values)) {
    if (!SPECS.has(key)) continue;
    const find = (variants) => findValue(document, SPECS.get(key).type, variants);
    const exact = find([value]);
    const all = exact.length > 0 ? exact : find(accept[key] ?? []);
    found.set(
      key,
      all.map((range) => describeCandidate(document, range, key)),
    );
  }
  return found;
}

function describeCandidate(document, [from, to], name) {
  const { signs, stream, nodes } = document;
  const tokens = new Map(signs.slice(from, to).map((sign) => [sign.token ?? sign.word, sign]));
  const mean = (of) => [...tokens.values()].reduce((sum, sign) => sum + sign.probabilityOf(of), 0) / tokens.size;
  const p = mean(name);
  /** That it is the total of the room table. */
  const total = name.startsWith('areas:') ? mean(totalOf(name)) : 0;
  const before = stream
    .slice(Math.max(0, from - 60), from)
    .replace(/\d/g, '')
    .slice(-12);
  return { from, to, name, p, total, path: nodes[signs[from].node].path, before };
}

function findValue(document, type, variants) {
  const ranges = variants.flatMap((value) => {
    if (type === 'date') return findDates(document, String(value));
    if (typeof value === 'number') return findNumbers(document, value, type);
    return findText(document, signsOf(String(value)));
  });
  const inOrder = [...new Map(ranges.map((range) => [range.join(), range])).values()];
  // The longest of overlapping ones.
  return inOrder.filter(([from, to]) => !inOrder.some(([a, b]) => a <= from && to <= b && b - a > to - from));
}

function findText({ signs, stream }, wanted) {
  const found = [];
  for (let at = stream.indexOf(wanted); wanted !== '' && at >= 0; at = stream.indexOf(wanted, at + 1)) {
    const to = at + wanted.length;
    if (signs[at].startsWord && signs[to - 1].endsWord) found.push([at, to]);
  }
  return found;
}

/** The printed text of a range, a space between words. */
const printed = ({ signs }, from, to) =>
  signs
    .slice(from, to)
    .map((sign, i) => (i === 0 ? '' : sign.isFirst ? ' ' : sign.gap) + sign.sign)
    .join('');

function findNumbers(document, value, type) {
  const { signs, stream } = document;
  const plain = String(value);
  const whole = plain.replace('.', '');
  const forms = new Set([whole]);
  if (plain.includes('.')) for (const digits of [2, 3]) forms.add(value.toFixed(digits).replace('.', ''));
  else for (const digits of [1, 2, 3]) forms.add(value.toFixed(digits).replace('.', ''));
  if (type === 'integer') for (const zeros of ['0', '00']) forms.add(zeros + whole);
  const isDigit = (i) => /\d/.test(signs[i]?.sign ?? '');
  const found = [];
  for (const form of forms) {
    for (let at = stream.indexOf(form); at >= 0; at = stream.indexOf(form, at + 1)) {
      const to = at + form.length;
      const [first, next] = [signs[at], signs[to]];
      if (!first.isFirst && isDigit(at - 1) && /^(|[.,:/-])$/u.test(first.gap) && first.gap !== '/') continue;
      if (next && !next.isFirst && isDigit(to) && /^(|[.,:])$/u.test(next.gap)) continue;
      // The rest of a number with thousands.
      const isRest =
        first.isFirst && isDigit(at - 1) && signs[at - 1].node === first.node && /^\d{3}(?!\d)/.test(stream.slice(at));
      if (isRest && first.offset - signs[at - 1].offset <= 2) continue;
      const text = printed(document, at, to);
      if (parsePrinted(text).some((one) => Math.abs(one - value) < 0.0005)) found.push([at, to]);
    }
  }
  if (type === 'integer') {
    for (let i = 0; i < signs.length; i++) {
      if (!signs[i].isFirst || isDigit(i)) continue;
      let to = i + 1;
      while (to < signs.length && !signs[to].isFirst) to++;
      const text = printed(document, i, to);
      if (/\d/.test(text) || text.length > 24) continue;
      const upper = /^[ivx]+$/.test(text) ? text.toUpperCase() : text;
      if (readValue({ type: 'integer' }, upper)?.value === value) found.push([i, to]);
    }
  }
  return found;
}

/** What a printed number can mean, also in boxes of single characters: 1,940 has a comma or thousands. */
function parsePrinted(text) {
  const compact = /^\S(?: \S)*$/u.test(text) ? text.replaceAll(' ', '') : text;
  const one = /^(\d+)(?: ?[.,·'=-] ?(\d+))?$/.exec(compact);
  const many = /^(\d{1,3}(?:[ .,'’\u00a0]\d{3})+)(?:[ .,=-]{1,2}(\d{1,2}))?$/u.exec(compact);
  return [
    ...(one ? [Number(`${one[1]}.${one[2] ?? 0}`)] : []),
    ...(many ? [Number(`${many[1].replace(/\D/g, '')}.${many[2] ?? 0}`)] : []),
  ];
}

const MONTH =
  /^(?:янв|фев|мар|апр|мая|май|июн|июл|авг|сен|окт|ноя|дек|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|i|v|x)/;

function findDates(document, iso) {
  const { signs, stream } = document;
  const [year, month, day] = iso.split('-');
  const short = year.slice(2);
  const forms = [
    day + month + year,
    Number(day) + month + year,
    day + month + short,
    month + day + year,
    year + month + day,
  ];
  forms.push(
    `${Number(month)}${Number(day)}${year}`,
    `${Number(day)}${Number(month)}${year}`,
    `${Number(month)}${day}${year}`,
  );
  const found = [];
  const starts = signs.flatMap(({ isFirst }, i) => (isFirst ? [i] : []));
  for (const [at, from] of starts.entries()) {
    const word = stream.slice(from, starts[at + 1]);
    if (!/^\d{1,2}\D*$/.test(word) && !MONTH.test(word) && !word.startsWith(day)) continue;
    for (let n = 2; n <= 8; n++) {
      const to = starts[at + n] ?? signs.length;
      const text = printed(document, from, to);
      if (!text.includes(short)) continue;
      const read = readValue(
        { type: 'date' },
        text.replace(/(?<= )[ivx]+(?= )/, (roman) => roman.toUpperCase()),
      );
      if (read?.value !== iso || read.start > 0) continue;
      found.push([from, to]);
      break;
    }
  }
  // The shortest of those in words.
  const shortest = found.filter(([a, b]) => !found.some(([from, to]) => from >= a && to <= b && to - from < b - a));
  return [...forms.flatMap((form) => findText(document, form)), ...shortest];
}

const rank = (candidate, others) => {
  const agreed =
    (others.some(({ path }) => path === candidate.path) ? 2 : 0) +
    (others.some(({ before }) => before === candidate.before) ? 2 : 0);
  return { ...candidate, agreed, score: Math.log(candidate.p + 0.002) + agreed };
};

const SURE = 0.3;

function align(document, { values, rooms = [] }, found, other) {
  const { signs } = document;
  const used = new Array(signs.length).fill(undefined);
  const marks = [];
  const missing = [];
  const isFree = ({ from, to }) => !used.slice(from, to).some(Boolean);
  let group = 0;
  const take = (key, candidate, itsGroup) => {
    used.fill(key, candidate.from, candidate.to);
    marks.push({ key, field: candidate.name, group: itsGroup, from: candidate.from, to: candidate.to, p: candidate.p });
  };
  const ranked = [...found].map(([key, all]) => [
    key,
    all.map((one) => rank(one, other.get(key) ?? [])).sort((a, b) => b.score - a.score),
  ]);
  const choose = (all, isLast) => {
    const [best, second] = all.filter(isFree);
    if (!best || best.total > best.p) return undefined;
    const length = best.to - best.from;
    const isClear = !second || best.score > second.score + 1;
    const isSure = best.p >= SURE && isClear;
    const isOnly = !second && length >= 4 && (best.p > 0.01 || best.agreed > 0 || length >= 8);
    const isSame = best.agreed >= 2 && isClear && (length >= 3 || best.p > 0.01);
    return isSure || (isLast && (isOnly || isSame)) ? best : undefined;
  };
  const waiting = new Map(ranked);
  const settle = (isLast) => {
    const sure = [...waiting]
      .map(([key, all]) => [key, choose(all, isLast)])
      .filter(([, best]) => best)
      .sort(([, a], [, b]) => b.score - a.score);
    for (const [key, best] of sure) {
      if (!isFree(best)) continue;
      take(key, best, ++group);
      waiting.delete(key);
    }
  };
  settle(false);
  const lost = alignRooms(document, rooms, { isFree, take, newGroup: () => ++group });
  settle(true);
  settle(true);
  if (
    waiting.has('general:address') &&
    alignParts(document, values['general:address'], { isFree, take, group: ++group })
  )
    waiting.delete('general:address');
  // The total of the room table alone is no field.
  for (const [key, all] of waiting) {
    if (all.some(({ total }) => total > 0.3)) waiting.delete(key);
  }
  missing.push(...waiting.keys());

  for (const [i, sign] of signs.entries()) {
    if (used[i]) continue;
    const total = TOTALS.find((name) => sign.probabilityOf(name) > 0.6);
    if (total) used[i] = total;
    else if (isDoubtful(sign, missing, lost.length > 0)) used[i] = 'unknown';
  }
  for (const [key, all] of ranked) {
    for (const { from, to, p } of all) {
      if (p < 0.05 && (signs[from] === undefined || /^areas|year|floor|wear|date/.test(key))) continue;
      for (let i = from; i < to; i++) used[i] ??= 'unknown';
    }
  }
  const rangesOf = (from, to) => {
    const ranges = [];
    for (const { node, offset } of signs.slice(from, to)) {
      const last = ranges.at(-1);
      if (last?.node === node) last.end = offset + 1;
      else ranges.push({ node, start: offset, end: offset + 1 });
    }
    return ranges;
  };
  const unknown = [];
  for (let i = 0; i < signs.length; i++) {
    if (used[i] !== 'unknown' && !TOTALS.includes(used[i])) continue;
    let to = i + 1;
    while (to < signs.length && used[to] === used[i] && signs[to].token === signs[i].token) to++;
    if (used[i] === 'unknown') unknown.push(...rangesOf(i, to));
    else marks.push({ key: used[i], field: used[i], group: ++group, from: i, to });
    i = to - 1;
  }
  return {
    marks: marks.map(({ from, to, ...mark }) => ({
      ...mark,
      text: printed(document, from, to),
      ranges: rangesOf(from, to),
    })),
    unknown,
    missing: [...missing, ...lost],
  };
}

/** Whether a word may belong to a value that was not found. */
function isDoubtful({ probabilityOf }, missing, hasLostCells) {
  if (probabilityOf('notes:text') > 0.2) return true;
  if (TOTALS.some((name) => probabilityOf(name) > 0.1)) return true;
  if (hasLostCells && ROOMS.some((name) => probabilityOf(name) > 0.1)) return true;
  return missing.some((key) =>
    [key, ...(key === 'general:address' ? PARTS : [])].some((name) => probabilityOf(name) > 0.05),
  );
}

/** Marks the cells of each room near each other; returns the keys of those that were not found. */
function alignRooms(document, rooms, { isFree, take, newGroup }) {
  const { signs } = document;
  const lost = [];
  const order = [];
  const words = new Map();
  for (const { word } of signs) {
    if (!words.has(word)) words.set(word, words.size);
    order.push(words.get(word));
  }
  const known = new Map();
  const candidates = (column, value) => {
    const key = `${column} ${value}`;
    if (!known.has(key)) {
      const ranges =
        typeof value === 'number' ? findNumbers(document, value, 'number') : findText(document, signsOf(String(value)));
      known.set(
        key,
        ranges.map((range) => describeCandidate(document, range, `rooms:${column}`)),
      );
    }
    return known.get(key).filter(isFree);
  };
  const cost = (a, b) => {
    const distance = Math.abs(order[a.from] - order[b.from]);
    const [one, two] = [signs[a.from], signs[b.from]];
    const isLine = one.page === two.page && one.box[1] < two.box[3] && one.box[3] > two.box[1];
    return distance > 25 ? 100 : 0.12 * distance + (isLine ? 0 : 1.5);
  };
  const strength = (candidate) => Math.log(candidate.p + 0.002);
  let last;
  for (const [i, room] of rooms.entries()) {
    const cells = Object.entries(room).filter(([, value]) => signsOf(String(value)) !== '');
    const all = cells.map(([column, value]) => candidates(column, value));
    let best;
    for (const main of ['name', 'area', 'no']) {
      const at = cells.findIndex(([column]) => column === main);
      if (at < 0 || best) continue;
      for (const anchor of all[at]) {
        const row = new Map([[cells[at][0], anchor]]);
        let score = strength(anchor) + (last && anchor.from > last ? 0.5 : 0);
        for (const [k, [column]] of cells.entries()) {
          if (k === at) continue;
          const near = all[k]
            .filter((one) => ![...row.values()].some(({ from, to }) => one.from < to && one.to > from))
            .map((one) => [one, strength(one) - cost(one, anchor)])
            .sort(([, a], [, b]) => b - a)[0];
          if (near && near[1] > -20) {
            row.set(column, near[0]);
            score += near[1];
          } else score -= 8;
        }
        if (!best || score > best.score) best = { row, score };
      }
    }
    const mean = best ? [...best.row.values()].reduce((sum, { p }) => sum + p, 0) / best.row.size : 0;
    const isSure = best && (mean > 0.15 || (best.row.size > 2 && best.row.size === cells.length));
    const group = newGroup();
    for (const [column] of cells) {
      const cell = isSure ? best.row.get(column) : undefined;
      if (cell && (cell.p > 0.02 || column !== 'no')) take(`rooms:${i + 1}.${column}`, cell, group);
      else lost.push(`rooms:${i + 1}.${column}`);
    }
    if (isSure) last = Math.max(...[...best.row.values()].map(({ from }) => from));
  }
  return lost;
}

const KINDS = [
  ['region', /(?:обл|край|респ|АССР|округ|County|Province)/iu],
  ['district', /(?:район|р-н|сельсовет|с\/с|МО )/iu],
  ['city', /^(?:г|с|д|п|пос|пгт|рп|ст|ст-ца|станица|хутор|х|город|село|дер|деревня|посёлок|поселок)[. ]\s*\p{Lu}|мкр/u],
  [
    'street',
    /(?:^| )(?:ул|улица|пр|пр-кт|проспект|пер|переулок|ш|шоссе|пл|площадь|наб|проезд|линия|бульвар|б-р|Street|Road|Avenue|Lane|St|Rd)\b|^(?:ул|пр|пер|пл|наб|пр-кт|ш)\./iu,
  ],
  ['house', /^(?:д|дом|№|влд|домовл)\.? ?\d|^\d+[а-яa-z]?(?:\/\d+)?$/iu],
  ['block', /^(?:к|корп|корпус|стр|строение|лит|литера|литер)\.? /iu],
  ['flat', /^(?:кв|квартира|пом|помещение|комн|Flat|Unit|Suite)\.? /iu],
];
const MARKS =
  /^(?:г|с|д|п|пос|пгт|ст|ст-ца|ул|пр|пер|пл|наб|дом|кв|корп|лит|пом|к|город|село|улица|квартира|корпус|литера|№|flat|unit)[. ]\s*/iu;

/** Marks the parts of an address in separate blanks; whether all were found. */
function alignParts(document, address, { isFree, take, group }) {
  const chosen = [];
  for (const part of String(address).split(/,\s*/u)) {
    const kind = KINDS.find(([, pattern]) => pattern.test(part))?.[0];
    const names = kind ? [`address.${kind}`] : PARTS;
    const all = [part, part.replace(MARKS, ''), part.replace(/ (?:область|обл\.?|край|район|р-н|улица)$/iu, '')]
      .flatMap((text) => findText(document, signsOf(text)))
      .flatMap((range) => names.map((name) => describeCandidate(document, range, name)))
      .filter((one) => isFree(one) && !chosen.some(({ from, to }) => one.from < to && one.to > from))
      .sort((a, b) => b.p + (b.to - b.from) * 0.001 - a.p - (a.to - a.from) * 0.001);
    const [best, second] = all;
    if (!best || (best.p < 0.15 && (!kind || second || best.to - best.from < 4))) return false;
    chosen.push(best);
  }
  for (const one of chosen) take('general:address', one, group);
  return true;
}
