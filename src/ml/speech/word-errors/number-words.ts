export interface NumberWord {
  readonly value: number;
  /** Multiplies what is before it: hundred, тысяч. */
  readonly isFactor: boolean;
  readonly ordinal?: 'en' | 'ru' | undefined;
}

const ENGLISH =
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
  eighteen nineteen`.split(/\s+/);
const ENGLISH_TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const ENGLISH_FACTORS = { hundred: 100, thousand: 1e3, million: 1e6, billion: 1e9 };
const ENGLISH_ORDINALS: Record<string, string> = {
  ...{ one: 'first', two: 'second', three: 'third', five: 'fifth', eight: 'eighth', nine: 'ninth', twelve: 'twelfth' },
};

/** By value: a stem with endings of cases, or all forms. */
const RUSSIAN = `
  0 ноль ноля нолю нолем ноле нуль нуля нулю нулем нуле; 1 один одна одно одну одного одной одному одним одном;
  1.5 полтора полторы полутора; 2 два две двух двум двумя; 3 три трех трем тремя; 4 четыре четырех четырем четырьмя;
  5 пят-; 6 шест-; 7 сем-; 8 восемь восьми восемью восьмью; 9 девят-; 10 десят-; 11 одиннадцат-; 12 двенадцат-;
  13 тринадцат-; 14 четырнадцат-; 15 пятнадцат-; 16 шестнадцат-; 17 семнадцат-; 18 восемнадцат-; 19 девятнадцат-;
  20 двадцат-; 30 тридцат-; 40 сорок сорока; 50 пятьдесят пятидесяти пятьюдесятью;
  60 шестьдесят шестидесяти шестьюдесятью; 70 семьдесят семидесяти семьюдесятью;
  80 восемьдесят восьмидесяти восемьюдесятью; 90 девяносто девяноста; 100 сто ста;
  200 двести двухсот двумстам двумястами двухстах; 300 триста трехсот тремстам тремястами трехстах;
  400 четыреста четырехсот четыремстам четырьмястами четырехстах; 500 пятьсот пятисот пятистам пятьюстами пятистах;
  600 шестьсот шестисот шестистам шестьюстами шестистах; 700 семьсот семисот семистам семьюстами семистах;
  800 восемьсот восьмисот восьмистам восемьюстами восьмистах;
  900 девятьсот девятисот девятистам девятьюстами девятистах`;
const NUMBER_ENDINGS = ['ь', 'и', 'ью'];

const RUSSIAN_FACTORS = `
  1e3 тысяч тысяча тысячи тысяче тысячу тысячей тысячам тысячами тысячах тыс;
  1e6 миллион миллиона миллиону миллионом миллионе миллионы миллионов миллионам миллионами миллионах млн;
  1e9 миллиард миллиарда миллиарду миллиардом миллиарде миллиарды миллиардов миллиардам миллиардами миллиардах млрд`;

const RUSSIAN_ORDINALS = `1 перв-; 2 втор-; 3 третий третья третье третьего третьей третьему третьим третьем третью третьи
  третьих третьими; 4 четверт-; 5 пят-; 6 шест-; 7 седьм-; 8 восьм-; 9 девят-; 10 десят-; 11 одиннадцат-; 12 двенадцат-;
  13 тринадцат-; 14 четырнадцат-; 15 пятнадцат-; 16 шестнадцат-; 17 семнадцат-; 18 восемнадцат-; 19 девятнадцат-;
  20 двадцат-; 30 тридцат-; 40 сороков-; 50 пятидесят-; 60 шестидесят-; 70 семидесят-; 80 восьмидесят-; 90 девяност-;
  100 сот-; 1000 тысячн-; 2000 двухтысячн-`;
const ORDINAL_ENDINGS = ['ый', 'ой', 'ая', 'ое', 'ого', 'ому', 'ым', 'ом', 'ую', 'ые', 'ых', 'ыми'];

/** Words of decimal fractions, with their places. */
export const DECIMAL_PLACES: Readonly<Record<string, number>> = { десятых: 1, сотых: 2, тысячных: 3 };

export const NUMBER_WORDS: ReadonlyMap<string, NumberWord> = new Map([
  ...[...ENGLISH.entries(), ...ENGLISH_TENS.map((word, i) => [20 + 10 * i, word] as const)].flatMap(([value, word]) => [
    entry(word, value),
    ...(value > 0 ? [entry(ordinalOf(word), value, { ordinal: 'en' })] : []),
  ]),
  ...Object.entries(ENGLISH_FACTORS).flatMap(([word, value]) => [
    entry(word, value, { isFactor: true }),
    entry(`${word}th`, value, { isFactor: true, ordinal: 'en' }),
  ]),
  ...readForms(RUSSIAN_ORDINALS, ORDINAL_ENDINGS)
    .filter(([, word]) => !(word in DECIMAL_PLACES))
    .map(([value, word]) => entry(word, value, { ordinal: 'ru' })),
  ...readForms(RUSSIAN, NUMBER_ENDINGS).map(([value, word]) => entry(word, value)),
  ...readForms(RUSSIAN_FACTORS, []).map(([value, word]) => entry(word, value, { isFactor: true })),
]);

function entry(word: string, value: number, kind: Partial<NumberWord> = {}): [string, NumberWord] {
  return [word, { value, isFactor: false, ...kind }];
}

function ordinalOf(word: string): string {
  return ENGLISH_ORDINALS[word] ?? (word.endsWith('y') ? `${word.slice(0, -1)}ieth` : `${word}th`);
}

function readForms(table: string, endings: readonly string[]): [value: number, word: string][] {
  return table.split(';').flatMap((line) => {
    const [value, ...words] = line.trim().split(/\s+/);
    const forms = words.flatMap((word) =>
      word.endsWith('-') ? endings.map((ending) => word.slice(0, -1) + ending) : word,
    );
    return forms.map((word): [number, string] => [Number(value), word]);
  });
}
