// Compares label words by stem, tolerating misread letters.

import leven from 'leven';

/** A label word prepared for comparison. */
export interface LabelWord {
  readonly stem: string;
  /** For words abbreviated with a hyphen: ст-ть. */
  readonly ending: string;
  /** Ends with a period (`инв.`, `кадастр.`): compared as a prefix. */
  readonly isAbbreviated: boolean;
  /** Specificity, 0..1: low for units and prepositions. */
  readonly weight: number;
  /** Names the subject of the form (`здание`, `объект`); generic words are interchangeable. */
  readonly isGeneric: boolean;
}

/** Undefined for numbers, dashes and brackets. */
export function parseLabelWord(text: string): LabelWord | undefined {
  const bare = text.toLowerCase().replace(/^[^\p{L}№%#]+|(?<![^\p{L}№%#²2-])[^\p{L}№%#²2-]+$/gu, '');
  if (/^\d.*%/u.test(text)) return undefined;
  const synonym = SYNONYMS[bare.replaceAll('-', '')];
  if (synonym) return parseLabelWord(synonym);
  if (UNITS.has(bare)) return { stem: bare, ending: '', isAbbreviated: false, weight: 0.02, isGeneric: false };
  if (!/\p{L}/u.test(bare) || /\d/u.test(bare.replace(/(?<=\p{L})\d$/u, ''))) return undefined;
  const word = replaceYo(bare.replace(/[²2]$/u, ''));
  const isGeneric = GENERIC.test(bare);
  const weight =
    STOP_WORDS.has(bare) || bare.length === 1
      ? 0.1
      : isGeneric
        ? 0.35
        : /^(номер|числ|год|дат|процент)/u.test(bare)
          ? COUNTING_WEIGHT
          : 1;
  const ending = foldHomoglyphs(word.slice(-2));
  if (/^\p{L}{2,}-\p{L}{1,2}$/u.test(word))
    return { stem: foldHomoglyphs(word.replace(/-.*/u, '')), ending, isGeneric, weight, isAbbreviated: true };
  return { stem: stemOf(word), ending, isGeneric, weight, isAbbreviated: /\p{L}\.[,;:)]*$/u.test(text.trim()) };
}

// `№` and `год` do not name the field.
const COUNTING_WEIGHT = 0.6;

export function similarity(page: LabelWord, label: LabelWord): number {
  const a = page.stem;
  const b = label.stem;
  // "в том числе" does not match "число".
  if (page.weight <= 0.1 && label.weight > 0.3) return 0;
  if (a === b) return 1;
  return Math.max(page.isGeneric && label.isGeneric ? 0.7 : 0, stemSimilarity(page, label));
}

function stemSimilarity(page: LabelWord, label: LabelWord): number {
  const a = page.stem;
  const b = label.stem;
  if (page.isAbbreviated && a.length >= 2 && a.length < b.length && b.startsWith(a)) {
    if (page.ending !== '' && page.ending === label.ending) return 0.9;
    return a.length > 3 ? 0.9 : a.length === 3 ? 0.75 : 0.6;
  }
  if (label.isAbbreviated && b.length >= 2 && a.startsWith(b) && b.length < a.length) return 0.85;
  const [shorter, longer] = [Math.min(a.length, b.length), Math.max(a.length, b.length)];
  if (shorter < 3 || longer < 4) return 0;
  // One error in four letters, or a long common prefix (строительства, строительный).
  const ratio = longer - shorter > (1 - MIN_RATIO) * longer ? 0 : 1 - leven(a, b) / longer;
  let prefix = 0;
  while (prefix < shorter && a[prefix] === b[prefix]) prefix++;
  if (ratio >= MIN_RATIO) return ratio;
  return prefix >= 6 && prefix >= 0.65 * longer ? 0.75 : 0;
}

const MIN_RATIO = 0.74;

const UNITS = new Set(
  'м м2 м² кв.м квм sq m m2 m² руб рублей рубль метров метр коп га тыс куб м3 мм см лет'.split(' '),
);
const STOP_WORDS = new Set(
  'между по на в во с со и к от для из при или а о об до за the of for in on at and or a an by to г т.ч тч том числе неё нее нем нём них него which его'.split(
    ' ',
  ),
);
const GENERIC =
  /^(кв$|помещени|здани|дом[ауе]?$|домовлад|квартир|объект|строени|сооружени|жило[гм]|нежил|недвиж|учет|учёт|описани|данн|сведен|указ|основн|настоящ|хозяйств|паспорт|выписк|карточк|документ|справк|property|building|premises|flat|apartment|object|house)/u;

const SYNONYMS: Readonly<Record<string, string>> = {
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

const foldHomoglyphs = (word: string): string => word.replace(/./gu, (letter) => HOMOGLYPHS[letter] ?? letter);
// Maps letters that OCR confuses to one of them.
const HOMOGLYPHS: Readonly<Record<string, string>> = Object.fromEntries(
  'аa еeё оo0 рp сc хx уy кk мm тt нhиuй вbьъ гr пn з3э б6 іil1|! шщ'
    .split(' ')
    .flatMap((group) => [...group].map((letter) => [letter, group[0]!] as const))
    .reverse(),
);

// eslint-disable-next-line no-restricted-syntax -- a fixed list of endings of at most four letters
const ENDINGS = new RegExp(
  `(${'иями ями ами ыми ими ого его ому ему ая яя ый ий ой ое ее ые ие ым им ых их ую юю ей ев ов ом ем ам ям ах ях ия ии ию ость ости а я ы и у ю о е ь й s'
    .split(' ')
    .map(foldHomoglyphs)
    .join('|')})$`,
  'u',
);

function stemOf(word: string): string {
  const folded = foldHomoglyphs(word);
  const stem = folded.length > 3 ? folded.replace(ENDINGS, '') : folded;
  return stem.length >= 3 ? stem : folded;
}

const replaceYo = (word: string): string => word.replaceAll('ё', 'е');
