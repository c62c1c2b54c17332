/** Kyrgyz letters become the Russian ones that they look like: where a Kyrgyz network reads a Russian page, they are misread Russian. */
export const russianLetters = (text: string): string => text.replace(/[ңөүҢӨҮ]/gu, (letter) => ALIKE[letter]!);

const ALIKE: Record<string, string> = { ң: 'н', ө: 'о', ү: 'у', Ң: 'Н', Ө: 'О', Ү: 'У' };
