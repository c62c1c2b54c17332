import { schemaPattern } from '../../schema/pattern.ts';
import type { FieldSpec, PartSpec } from '../../schema/schema.ts';
import { writePart } from '../fields/composite-values.ts';
import { correctAddress, correctHouseNumbers, withRegionKind } from '../fields/correct-address.ts';
import { boundingBox, joinText, type Token } from '../fields/page-tokens.ts';
import { readKindCell } from './kind-cells.ts';
import type { PageReading } from './page-reading.ts';
import { best, labelOf, type ReadValue, readingsOf } from './read-values.ts';

const BLOCK = 'address.block';

/** The class of each part of an address, with one of its synonyms in the schema. */
const PARTS: readonly (readonly [name: string, synonym: string])[] = [
  ['address.region', 'Область'],
  ['address.district', 'Район'],
  ['address.city', 'Город'],
  ['address.street', 'Улица'],
  ['address.house', 'Дом'],
  [BLOCK, 'Корпус'],
  ['address.flat', 'Квартира'],
];

const HAVE_KINDS = new Set(['address.city', 'address.street']);

/** Labels of parts that share a class with another one; a `Квартал` is not a part. */
const LABELLED: readonly (readonly [label: RegExp, synonym: string, classes: RegExp])[] = [
  [/сельск\p{L}{2,3} округ/iu, 'Сельский округ', /district|city|street/u],
  [/сель(?:ск|сов)/iu, 'Сельсовет', /district|city|street/u],
  [/район города|городской район/iu, 'Район города', /district|city|street/u],
  [/помещ(?:ени|\.)/iu, 'Помещение №', /block|flat|house/u],
  [/строени/iu, 'строение', /block|flat|house/u],
  [/квартал/iu, 'Квартал', /block|flat|house|street/u],
];
const MIN_PART = 0.5;
/** Before a blank: the letter of a building on its plan is not part of the address. */
const BUILDING_LETTER = /(?:литера?|лит\.)[\s:«"]*$/iu;

/** Joins the parts of a value in separate blanks. */
export function readParts(reading: PageReading, { parts = [] }: Pick<FieldSpec, 'parts'>): ReadValue | undefined {
  const found = new Map<number, ReadValue>();
  let rival = 0;
  const inCells = new Map(
    PARTS.flatMap(([name, usual]) => {
      const part = HAVE_KINDS.has(name) && parts.find(({ synonyms }) => synonyms.includes(usual));
      const read = part && readKindCell(reading, part);
      return read ? [[name, read] as const] : [];
    }),
  );
  const taken = new Set([...inCells.values()].flatMap(({ tokens }) => tokens));
  const readings = PARTS.map(([name, usual]) => {
    const inCell = inCells.get(name);
    const others = readingsOf(reading, name, { type: 'string' }).filter(
      ({ score, tokens }) => score >= MIN_PART && !tokens.some((token) => taken.has(token)),
    );
    return { name, usual, all: inCell ? [inCell] : others };
  });
  for (const { name, usual, all } of readings) {
    for (const value of all) {
      const label = captionOf(value.tokens);
      const synonym = LABELLED.find(([pattern, , classes]) => pattern.test(label) && classes.test(name))?.[1] ?? usual;
      const at = parts.findIndex(({ synonyms }) => synonyms.includes(synonym));
      const known = found.get(at);
      if (at < 0 || (name === BLOCK && BUILDING_LETTER.test(labelOf(value.tokens)))) continue;
      const isBetter = !known || best([known, value]) === value;
      if (known && known.value !== value.value) rival = Math.max(rival, isBetter ? known.score : value.score);
      if (isBetter) found.set(at, value);
    }
  }
  placeCityDistrict(found, parts);
  const ordered = [...found]
    .sort(([a], [b]) => a - b)
    .map(([at, value]) => [at, withKind(value, parts[at]!, reading)] as const);
  const values = ordered.map(([, value]) => value);
  if (values.length < 2) return undefined;
  const tokens = values.flatMap((value) => value.tokens);
  const written = writeAddress(
    ordered.map(([at, { value }]) => ({ part: parts[at]!, value: correctAddress(String(value)) })),
  );
  const text = withRegionKind(written.replace(REPEATED_PART, '$1'));
  return {
    tokens,
    value: tokens.some(({ confidence }) => confidence !== null) ? correctHouseNumbers(text) : text,
    score: values.reduce((sum, { score }) => sum + score, 0) / values.length,
    // Of two readings of one part, one is wrong or an additional part.
    lowest: Math.min(1 - rival, ...values.map(({ lowest }) => lowest)),
  };
}

interface WrittenPart {
  readonly part: PartSpec;
  readonly value: string;
}

/** The parts in the order of the schema; an English address under Russian templates in its own order, without Russian abbreviations. */
export function writeAddress(parts: readonly WrittenPart[]): string {
  const all = parts.map(({ value }) => value).join(' ');
  const isEnglish = /\p{Script=Latin}{3}/u.test(all) && !/\p{Script=Cyrillic}/u.test(all);
  return isEnglish && parts.every(({ part }) => /\p{Script=Cyrillic}/u.test(part.write))
    ? writeEnglish(parts)
    : parts.map(({ part, value }) => writePart(part, value)).join(', ');
}

/** `Flat 3, 12 Mill Lane, Leeds, Yorkshire`. */
function writeEnglish(parts: readonly WrittenPart[]): string {
  const isOf = (synonym: string) => (one: WrittenPart) => one.part.synonyms.includes(synonym);
  const house = parts.find(isOf('Дом'))?.value;
  const written = parts.flatMap((one) => {
    if (isOf('Дом')(one)) return parts.some(isOf('Улица')) ? [] : [one.value];
    if (isOf('Улица')(one)) return [house === undefined ? one.value : `${house} ${one.value}`];
    const kind = isOf('Квартира')(one) ? 'Flat ' : isOf('Корпус')(one) ? 'Block ' : '';
    return [/^\d/u.test(one.value) ? `${kind}${one.value}` : one.value];
  });
  return written.reverse().join(', ');
}

/**
 * A district that is printed after its town is a district of that town: `Город Орск, район Ленинский`. It is rural after a village,
 * or if the region comes last: `село Тахта, Ипатовский район, Ставропольский край`.
 */
function placeCityDistrict(found: Map<number, ReadValue>, parts: readonly PartSpec[]): void {
  const placeOf = (synonym: string) => parts.findIndex(({ synonyms }) => synonyms.includes(synonym));
  const [from, to] = [placeOf('Район'), placeOf('Район города')];
  const [region, district, city] = [found.get(placeOf('Область')), found.get(from), found.get(placeOf('Город'))];
  if (!district || !city || to < 0 || found.has(to) || !isAfter(district, city)) return;
  const caption = captionOf(city.tokens);
  const isVillage = VILLAGE.test(String(city.value)) || (VILLAGE.test(caption) && !TOWN.test(caption));
  const isRural = RURAL.test(`${captionOf(district.tokens)} ${String(district.value)}`);
  if (isVillage || isRural || (region && isAfter(region, district))) return;
  found.delete(from);
  found.set(to, district);
}

/** A district that also stands in the blank of the town: `Майкопский р-н, Майкопский р-н, пос. Тульский`. */
const REPEATED_PART = /(?<=^|, )([^,]{4,60}), \1(?=,|$)/gu;

function isAfter({ tokens: [one] }: ReadValue, { tokens: [other] }: ReadValue): boolean {
  if (one!.sheet !== other!.sheet) return false;
  const isBeside = Math.min(one!.y1, other!.y1) - Math.max(one!.y0, other!.y0) > 0.4 * (one!.y1 - one!.y0);
  return isBeside ? one!.x0 > other!.x0 : one!.y0 > other!.y0;
}

const VILLAGE =
  /(?<![\p{L}-])(?:п|с|д|х|ст|сл|дер|пос|рп|р\.?\s?п|пгт|село|деревня|пос[её]лок|хутор|станица|слобода|аул|СНТ|насел[её]нн\p{L}{2,3}|поселени[ея])(?![\p{L}-])/iu;
const TOWN = /(?<!\p{L})(?:г|гор|город)(?!\p{L})/iu;
const RURAL = /муниципальн|административн|округ|улус/iu;

const lineOf = ({ sheet, y0, y1 }: Token): Token[] =>
  sheet.tokens.filter((token) => token.y0 < y1 && token.y1 > y0).sort((a, b) => a.x0 - b.x0);

/** In heights of a word: a printed or typed `пос.` has a blank of its own. */
const MAX_GAP = 3;

/** Adds the kind of the place or street beside a name, which the network takes for a label: `пер.`, `с.`, `обл.` */
function withKind(
  read: ReadValue,
  { write, unless }: PartSpec,
  { tokens, likeliest, areApart }: PageReading,
): ReadValue {
  const value = String(read.value);
  const isKind = unless === undefined ? undefined : schemaPattern(unless, 'iu');
  if (!isKind || isKind.test(value)) return read;
  const [first, last] = [read.tokens[0]!, read.tokens.at(-1)!];
  const line = lineOf(first);
  const isFree = (token: Token | undefined, beside: Token): token is Token => {
    const at = token ? tokens.indexOf(token) : -1;
    const gap = token ? Math.max(token.x0 - beside.x1, beside.x0 - token.x1) : 0;
    return (
      at >= 0 && gap < MAX_GAP * (beside.y1 - beside.y0) && isUnclaimed(at) && !areApart(at, tokens.indexOf(beside))
    );
  };
  const isUnclaimed = (at: number) => /^(?:none|address)/u.test(likeliest(at));
  const usual = write.replace('{}', '').replace(/[^\p{L}]/gu, '');
  const [left, right] = [line[line.indexOf(first) - 1], line[line.indexOf(last) + 1]];
  const label = line[line.indexOf(first) - 2]?.text ?? '';
  const kind = left?.text ?? '';
  if (write.endsWith('{}') && isFree(left, first) && KIND.test(kind) && !/[,/(]$/u.test(label)) {
    const isOther = !kind.toLowerCase().startsWith(usual) && isKind.test(`${kind} ${value}`);
    return isOther ? { ...read, tokens: [left, ...read.tokens], value: `${kind} ${value}` } : read;
  }
  const isAfter = write.startsWith('{}') && isFree(right, last) && /^\p{Ll}[\p{Ll}-]*\.?,?$/u.test(right.text);
  const whole = isAfter ? `${value} ${right.text.replace(/,$/u, '')}` : value;
  return isAfter && usual.startsWith(/^\p{L}*/u.exec(right.text)![0]) && isKind.test(whole)
    ? { ...read, tokens: [...read.tokens, right], value: whole }
    : read;
}

const KIND = /^\p{L}{1,9}\.?$/u;

/** The words before a blank, above its start, and those in brackets below it. */
function captionOf(value: readonly Token[]): string {
  const { x0, y0, y1 } = boundingBox(value);
  const above = value[0]!.sheet.tokens.filter(
    (token) => token.y1 < y0 + 1 && token.y1 > y0 - 1.5 * (y1 - y0) && token.x0 < value[0]!.x1 && token.x1 > x0,
  );
  const [before] = /[^,;]{0,20}$/u.exec(labelOf(value))!;
  return `${before} ${joinText(above)} ${captionBelow(value)}`;
}

/** The greatest distance of a caption below a value, in heights of the value: digits are lower than its brackets. */
const BELOW = 1.6;

/** The words in brackets below a blank, which may be wider than its value: `(номер помещения)` below `3`. */
function captionBelow(value: readonly Token[]): string {
  const { x0, x1, y0, y1 } = boundingBox(value);
  const height = y1 - y0;
  const line = value[0]!.sheet.tokens
    .filter((token) => token.y0 > y0 + 0.5 * height && token.y0 < y1 + BELOW * height)
    .sort((a, b) => a.x0 - b.x0);
  const isBelow = (token: Token) => token.x0 < x1 + 0.5 * height && token.x1 > x0 - 0.5 * height;
  const isOpening = ({ text }: Token) => text.startsWith('(');
  const isApart = (at: number) => !line[at] || !line[at - 1] || line[at]!.x0 - line[at - 1]!.x1 > height;
  let [first, last] = [line.findIndex(isBelow), line.findLastIndex(isBelow)];
  while (first > 0 && !isOpening(line[first]!) && !isApart(first)) first--;
  while (first >= 0 && !line[last]!.text.endsWith(')') && !isApart(last + 1)) last++;
  const caption = first < 0 ? [] : line.slice(first, last + 1);
  return caption.some(isOpening) ? caption.map(({ text }) => text).join(' ') : '';
}
