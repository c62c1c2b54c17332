/**
 * Corrects text recognized with a model of several Cyrillic alphabets: letters that no Russian word has, and Roman numbers
 * in Cyrillic letters. The Kyrgyz model does not know `№`.
 */
export function toRussianLetters(text: string): string {
  if (/^(N[eе°?]|[МM][eеoо°?]|ме)\.?$/u.test(text)) return '№';
  if (isRoman(text)) return text.replace(/[ІХУ]/gu, (letter) => LATIN[letter]!);
  return text.replace(/[ңөүӧєҢӨҮӦЄ]/gu, (letter) => RUSSIAN[letter]!);
}

/** No Russian word has an І. */
const isRoman = (text: string): boolean => /^[^\p{L}]*[ІХУIVX]+[^\p{L}]*$/u.test(text) && text.includes('І');

const LATIN: Record<string, string> = { І: 'I', Х: 'X', У: 'V' };
const RUSSIAN: Record<string, string> = {
  ...{ ң: 'н', ө: 'о', ү: 'у', ӧ: 'о', є: 'е' },
  ...{ Ң: 'Н', Ө: 'О', Ү: 'У', Ӧ: 'О', Є: 'Е' },
};
