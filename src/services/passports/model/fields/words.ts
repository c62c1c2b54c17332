// How words of labels are compared: by what they look like (OCR takes Latin letters for Cyrillic ones and the other way
// round), without their endings, and with a few letters misread.

/** A word of a label, ready to be compared. */
export interface LabelWord {
  readonly stem: string;
  /** How it ends, for words written short with a hyphen: ст-ть. */
  readonly end: string;
  /** Written short (`инв.`, `кадастр.`): the beginning is enough. */
  readonly short: boolean;
  /** How much it says: units and prepositions next to nothing, `помещение` little, `номер` something. */
  readonly weight: number;
  /** Says only what the whole form is about: one such word is as good as another. */
  readonly generic: boolean;
}

/** The word that a token is for labels; undefined for what is no word: numbers, dashes, brackets. */
export function labelWord(text: string): LabelWord | undefined {
  const bare = text.toLowerCase().replace(/^[^\p{L}№%#]+|(?<![^\p{L}№%#²2-])[^\p{L}№%#²2-]+$/gu, '');
  if (/^\d.*%/u.test(text)) return undefined;
  const known = SAME_AS[bare.replaceAll('-', '')];
  if (known) return labelWord(known);
  if (UNITS.has(bare)) return { stem: bare, end: '', short: false, weight: 0.02, generic: false };
  if (!/\p{L}/u.test(bare) || /\d/u.test(bare.replace(/(?<=\p{L})\d$/u, ''))) return undefined;
  const word = folded(bare.replace(/[²2]$/u, ''));
  const generic = GENERIC.test(bare);
  const weight =
    EMPTY.has(bare) || bare.length === 1
      ? 0.1
      : generic
        ? 0.35
        : /^(номер|числ|год|дат|процент)/u.test(bare)
          ? COUNTING
          : 1;
  const end = looks(word.slice(-2));
  if (/^\p{L}{2,}-\p{L}{1,2}$/u.test(word))
    return { stem: looks(word.replace(/-.*/u, '')), end, generic, weight, short: true };
  return { stem: stemOf(word), end, generic, weight, short: /\p{L}\.[,;:)]*$/u.test(text.trim()) };
}

// What `№` and `год` say: that something is counted, not what.
const COUNTING = 0.6;

/** 0..1: how surely two words are the same. */
export function similarity(page: LabelWord, label: LabelWord): number {
  const a = page.stem;
  const b = label.stem;
  // "в том числе" is no "число".
  if (page.weight <= 0.1 && label.weight > 0.3) return 0;
  if (a === b) return 1;
  return Math.max(page.generic && label.generic ? 0.7 : 0, likeness(page, label));
}

function likeness(page: LabelWord, label: LabelWord): number {
  const a = page.stem;
  const b = label.stem;
  if (page.short && a.length >= 2 && a.length < b.length && b.startsWith(a)) {
    // Two letters are enough where the end is written too.
    if (page.end !== '' && page.end === label.end) return 0.9;
    return a.length > 3 ? 0.9 : a.length === 3 ? 0.75 : 0.6;
  }
  if (label.short && b.length >= 2 && a.startsWith(b) && b.length < a.length) return 0.85;
  const longer = Math.max(a.length, b.length);
  if (Math.min(a.length, b.length) < 3 || longer < 4) return 0;
  const ratio = 1 - distance(a, b) / longer;
  // One letter of four, two of eight; what begins alike may differ in a suffix (строительства, строительный).
  let prefix = 0;
  while (prefix < Math.min(a.length, b.length) && a[prefix] === b[prefix]) prefix++;
  if (ratio >= 0.74) return ratio;
  return prefix >= 6 && prefix >= 0.65 * longer ? 0.75 : 0;
}

const UNITS = new Set(
  'м м2 м² кв.м квм sq m m2 m² руб рублей рубль метров метр коп га тыс куб м3 мм см лет'.split(' '),
);
const EMPTY = new Set(
  'между по на в во с со и к от для из при или а о об до за the of for in on at and or a an by to г т.ч тч том числе неё нее нем нём них него which его'.split(
    ' ',
  ),
);
const GENERIC =
  /^(кв$|помещени|здани|дом[ауе]?$|домовлад|квартир|объект|строени|сооружени|жило[гм]|нежил|недвиж|учет|учёт|описани|данн|сведен|указ|основн|настоящ|хозяйств|паспорт|выписк|карточк|документ|справк|property|building|premises|flat|apartment|object|house)/u;

const SAME_AS: Readonly<Record<string, string>> = {
  '№': 'номер',
  '#': 'номер',
  n: 'номер',
  no: 'номер',
  n0: 'номер',
  number: 'номер',
  '%': 'процент',
  percent: 'процент',
  колво: 'число',
  количество: 'число',
  кол: 'число',
  посёлок: 'пос',
  гор: 'город',
  пл: 'площадь',
  эт: 'этаж',
};

const looks = (word: string): string => word.replace(/./gu, (letter) => LOOKALIKES[letter] ?? letter);
// Letters that OCR takes for each other, of both alphabets, become one. Words are long enough to bear it.
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'аa',
    'еeё',
    'оo0',
    'рp',
    'сc',
    'хx',
    'уy',
    'кk',
    'мm',
    'тt',
    'нhиuй',
    'вbьъ',
    'гr',
    'пn',
    'з3э',
    'б6',
    'іil1|!',
    'шщ',
  ]
    .flatMap((alike) => [...alike].map((letter) => [letter, alike[0]!] as const))
    .reverse(),
);

// eslint-disable-next-line no-restricted-syntax -- made of fixed endings, none longer than four letters
const ENDINGS = new RegExp(
  `(${'иями ями ами ыми ими ого его ому ему ая яя ый ий ой ое ее ые ие ым им ых их ую юю ей ев ов ом ем ам ям ах ях ия ии ию ость ости а я ы и у ю о е ь й s'
    .split(' ')
    .map(looks)
    .join('|')})$`,
  'u',
);

function stemOf(word: string): string {
  const seen = looks(word);
  const stem = seen.length > 3 ? seen.replace(ENDINGS, '') : seen;
  return stem.length >= 3 ? stem : seen;
}

const folded = (word: string): string => word.replaceAll('ё', 'е');

/** Levenshtein: how many letters are to be changed, added or removed. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
