// How words of labels are compared: by what they look like (OCR takes Latin letters for Cyrillic ones and the other way
// round), without their endings, and with a few letters misread.

/** A word of a label, ready to be compared. */
export interface LabelWord {
  readonly stem: string;
  /** Written short (`инв.`, `кадастр.`): the beginning is enough. */
  readonly short: boolean;
  /** How much it says: units and prepositions next to nothing, `помещение` little. */
  readonly weight: number;
}

/** The word that a token is for labels; undefined for what is no word: numbers, dashes, brackets. */
export function labelWord(text: string): LabelWord | undefined {
  const bare = text.toLowerCase().replace(/^[^\p{L}№%#]+|[^\p{L}№%#²2-]+$/gu, '');
  const known = SAME_AS[bare.replaceAll('-', '')];
  if (known) return { stem: stemOf(known), short: false, weight: 1 };
  if (UNITS.has(bare)) return { stem: bare, short: false, weight: 0.02 };
  if (!/\p{L}/u.test(bare) || /\d{2}/u.test(bare)) return undefined;
  const word = folded(bare.replace(/[²2]$/u, ''));
  const weight = EMPTY.has(bare) ? 0.1 : GENERIC.test(bare) ? 0.35 : 1;
  return { stem: stemOf(word), short: /\p{L}[.-]/u.test(text.trim()) || bare.includes('-'), weight };
}

/** 0..1: how surely two words are the same. */
export function similarity(page: LabelWord, label: LabelWord): number {
  const a = page.stem;
  const b = label.stem;
  if (a === b) return 1;
  if (page.short && a.length >= 2 && b.startsWith(a.replace(/-.*$/u, '')) && a.length < b.length) return a.length > 2 ? 0.9 : 0.8;
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
  'кв м м2 м² кв.м квм sq m m2 m² руб рублей рубль метров метр коп га тыс куб м3 мм см лет'.split(' '),
);
const EMPTY = new Set(
  'по на в во с со и к от для из при или а о об до за the of for in on at and or a an by to г т.ч тч том числе'.split(' '),
);
const GENERIC =
  /^(помещени|здани|дом[ауе]?$|домовлад|квартир|объект|строени|сооружени|жило[гм]|нежил|недвиж|учет|учёт|данн|сведен|указ|основн|настоящ|property|building|premises|flat|apartment|object|house)/u;

const SAME_AS: Readonly<Record<string, string>> = {
  '№': 'номер',
  '#': 'номер',
  n: 'номер',
  no: 'номер',
  number: 'номер',
  n0: 'номер',
  '%': 'процент',
  percent: 'процент',
  колво: 'число',
  количество: 'число',
  кол: 'число',
  посёлок: 'пос',
  гор: 'город',
};

const ENDINGS =
  /(иями|ями|ами|ыми|ими|ого|его|ому|ему|ая|яя|ый|ий|ой|ое|ее|ые|ие|ым|им|ых|их|ую|юю|ей|ев|ов|ом|ем|ам|ям|ах|ях|ия|ии|ию|ость|ости|а|я|ы|и|у|ю|о|е|ь|й|s)$/u;

function stemOf(word: string): string {
  const stem = word.length > 3 ? word.replace(ENDINGS, '') : word;
  return looks(stem.length >= 2 ? stem : word);
}

const folded = (word: string): string => word.replaceAll('ё', 'е');

/** Letters of both alphabets that look alike become one. */
const looks = (word: string): string => word.replace(/./gu, (letter) => LOOKALIKES[letter] ?? letter);
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ а: 'a', е: 'eё', о: 'o0', р: 'p', с: 'c', х: 'x', у: 'y', к: 'k', м: 'm', т: 't', н: 'h', в: 'b', г: 'r', п: 'n', и: 'uй', з: '3', б: '6', ь: 'ъ', і: 'il1|!', ш: 'щ' }).flatMap(
    ([to, from]) => [...from].map((letter) => [letter, to]),
  ),
);

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
