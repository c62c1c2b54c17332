import type { Found } from './numbers.ts';

/**
 * The numbers in words in `text`, in order: cardinal and ordinal, Russian in any case and English, also with a fraction
 * (`шестьдесят одна целая пять десятых`, `sixty-one point five`) or inside a compound (`двенадцатиэтажное`).
 */
export function findNumberWords(text: string): Found<number>[] {
  const words = splitWords(text);
  const found: Found<number>[] = [];
  for (let from = 0; from < words.length; ) {
    const number = parseDecimal(words, from) ?? parseCompound(words[from]!.text);
    if (number) {
      const last = words[from + number.count - 1]!;
      const minus = words[from]!.follows && /^(?:минус|minus)$/u.test(words[from - 1]?.text ?? '') && words[from - 1];
      const { start } = minus || words[from]!;
      found.push({ value: minus ? -number.value : number.value, start, end: last.end });
    }
    from += number?.count ?? 1;
  }
  return found;
}

export interface Word {
  /** In lower case, with `е` for `ё`. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether only spaces or a hyphen separate the word from the one before. */
  readonly follows: boolean;
}

/** The words and the whole numbers in digits of `text`. */
export function splitWords(text: string): Word[] {
  let before = 0;
  return [...text.matchAll(/\p{L}+|\d+/gu)].map(({ 0: word, index: start }) => {
    const follows = /^[\s\u00ad-]{0,3}$/u.test(text.slice(before, start));
    before = start + word.length;
    return { text: word.toLowerCase().replaceAll('ё', 'е'), start, end: before, follows };
  });
}

export interface WordNumber {
  readonly value: number;
  readonly count: number;
}

/** Parses the longest whole number that begins at word `from`: `две тысячи шестого`, `nineteen hundred and five`. */
export function parseWholeNumber(words: readonly Word[], from: number): WordNumber | undefined {
  let total = 0;
  let group = 0;
  let count = 0;
  let canJoin = false;
  for (let i = from; i < words.length && (i === from || words[i]!.follows); i++) {
    const { text } = words[i]!;
    if (text === 'and' && canJoin) continue;
    const multiplier = MULTIPLIERS.get(text);
    const value = VALUES.get(text);
    if (multiplier === 100 && group > 0 && group < 100) group *= 100;
    else if (multiplier && multiplier > 100 && total % (multiplier * 1000) === 0 && (group > 0 || isOne(text))) {
      total += (group || 1) * multiplier;
      group = 0;
    } else if (value !== undefined && !multiplier && fits(value, group, total, count)) group += value;
    else break;
    count = i - from + 1;
    canJoin = multiplier !== undefined;
  }
  return count > 0 ? { value: total + group, count } : undefined;
}

/** Whether `value` continues a group: units follow tens, tens follow hundreds. */
function fits(value: number, group: number, total: number, count: number): boolean {
  if (count === 0) return true;
  if (value === 0 || value >= 1000 || total + group === 0) return false;
  if (value >= 100) return group === 0;
  if (value >= 10) return group % 100 === 0;
  return group % 10 === 0 && group % 100 !== 10;
}

/** `тысяча девятьсот`: only the singular begins a number. */
const isOne = (text: string): boolean => /^(тысяч[ау]|миллион|миллиард)$/u.test(text);

function parseDecimal(words: readonly Word[], from: number): WordNumber | undefined {
  const whole = parseWholeNumber(words, from);
  const mark = whole && words[from + whole.count]?.text;
  if (!mark) return whole;
  const next = from + whole.count + 1;
  if (mark === 'point') return parsePointFraction(words, next, whole);
  if (!/^цел(ая|ых|ые|ое|ой)$/u.test(mark)) return whole;
  const at = words[next]?.text === 'и' ? next + 1 : next;
  const part = parseWholeNumber(words, at);
  const size = part && words[at + part.count]?.text;
  const [, denominator] = DENOMINATORS.find(([pattern]) => size && pattern.test(size)) ?? [];
  if (!part || !denominator) return { value: whole.value, count: whole.count + 1 };
  return { value: whole.value + part.value / denominator, count: at + part.count + 1 - from };
}

const DENOMINATORS: readonly (readonly [RegExp, number])[] = [
  [/^десят(ая|ых|ые|ой)$/u, 10],
  [/^сот(ая|ых|ые|ой)$/u, 100],
  [/^тысячн(ая|ых|ые|ой)$/u, 1000],
];

/** `point two five` and `point twenty-five` are .25. */
function parsePointFraction(words: readonly Word[], from: number, whole: WordNumber): WordNumber {
  let digits = '';
  let at = from;
  for (let part = parseWholeNumber(words, at); part && digits.length < 6; part = parseWholeNumber(words, at)) {
    digits += part.value;
    at += part.count;
  }
  return digits === '' ? whole : { value: Number(`${whole.value}.${digits}`), count: whole.count + 1 + at - from };
}

/** `двухкомнатная`, `двадцатипятиэтажный`. */
function parseCompound(word: string): WordNumber | undefined {
  const stem = /^(\p{L}{3,24})(?:этаж|комнат|квартир|секцион|подъезд|уровнев)н?\p{L}{2,4}$/u.exec(word)?.[1];
  if (stem === undefined) return undefined;
  const whole = VALUES.get(stem);
  if (whole !== undefined) return { value: whole, count: 1 };
  const tens = TENS.find((one) => stem.startsWith(one));
  const [high, low] = tens ? [VALUES.get(tens), VALUES.get(stem.slice(tens.length))] : [];
  return high !== undefined && low !== undefined && low < 10 ? { value: high + low, count: 1 } : undefined;
}

const TENS = 'двадцати тридцати сорока пятидесяти шестидесяти семидесяти восьмидесяти девяносто'.split(' ');

/** Endings of numerals: `пят+` is `пять`, `пяти` …, `перв*` is `первый`, `первого` …, `трет~` is `третий`, `третьего` … */
const ENDINGS: Readonly<Record<string, string>> = {
  '+': 'ь и ью',
  '*': 'ый ой ий ая ое ого ому ым ом ую ые ых ыми',
  '~': 'ий ья ье ьего ьему ьим ьем ью ьей ьи ьих',
};

const NUMERALS = `
0 ноль нуль ноля нуля zero nil
1 один одна одно одного одной одному одну одним одном перв* one first
2 два две двух двум двумя втор* two second
3 три трех трем тремя трет~ three third
4 четыре четырех четырем четырьмя четверт* four fourth
5 пят+ пят* five fifth
6 шест+ шест* six sixth
7 сем+ седьм* seven seventh
8 восемь восьми восемью восьм* eight eighth
9 девят+ девят* nine ninth
10 десят+ десят* ten tenth
11 одиннадцат+ одиннадцат* eleven eleventh
12 двенадцат+ двенадцат* twelve twelfth
13 тринадцат+ тринадцат* thirteen thirteenth
14 четырнадцат+ четырнадцат* fourteen fourteenth
15 пятнадцат+ пятнадцат* fifteen fifteenth
16 шестнадцат+ шестнадцат* sixteen sixteenth
17 семнадцат+ семнадцат* seventeen seventeenth
18 восемнадцат+ восемнадцат* eighteen eighteenth
19 девятнадцат+ девятнадцат* nineteen nineteenth
20 двадцат+ двадцат* twenty twentieth
30 тридцат+ тридцат* thirty thirtieth
40 сорок сорока сороков* forty fortieth
50 пятьдесят пятидесяти пятьюдесятью пятидесят* fifty fiftieth
60 шестьдесят шестидесяти шестьюдесятью шестидесят* sixty sixtieth
70 семьдесят семидесяти семьюдесятью семидесят* seventy seventieth
80 восемьдесят восьмидесяти восемьюдесятью восьмидесят* eighty eightieth
90 девяносто девяноста девяност* ninety ninetieth
100 сто ста сот*
200 двести двухсот двумстам двумястами двухстах двухсот*
300 триста трехсот тремстам тремястами трехстах трехсот*
400 четыреста четырехсот четыремстам четырьмястами четырехстах четырехсот*
500 пятьсот пятисот пятистам пятьюстами пятистах пятисот*
600 шестьсот шестисот шестистам шестьюстами шестистах шестисот*
700 семьсот семисот семистам семьюстами семистах семисот*
800 восемьсот восьмисот восьмистам восемьюстами восьмистах восьмисот*
900 девятьсот девятисот девятистам девятьюстами девятистах девятисот*
1000 тысячн*
2000 двухтысячн*`;

const MULTIPLIER_WORDS = `
100 hundred hundredth
1000 тысяча тысячи тысяч тысячу тысячей тысячью тысячам тысячами тысячах thousand thousandth
1000000 миллион миллиона миллионов миллиону миллионом миллионе million
1000000000 миллиард миллиарда миллиардов billion`;

const VALUES = readTable(NUMERALS);
const MULTIPLIERS = readTable(MULTIPLIER_WORDS);

function readTable(table: string): ReadonlyMap<string, number> {
  const rows = table.trim().split('\n');
  return new Map(
    rows.flatMap((row) => {
      const [value, ...words] = row.split(' ');
      return words.flatMap(inflect).map((word): [string, number] => [word, Number(value)]);
    }),
  );
}

function inflect(word: string): string[] {
  const endings = ENDINGS[word.at(-1)!]?.split(' ');
  return endings ? endings.map((ending) => word.slice(0, -1) + ending) : [word];
}
