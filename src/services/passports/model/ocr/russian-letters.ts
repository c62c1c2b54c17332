/**
 * Corrects text recognized with a model of several Cyrillic alphabets: letters that resemble Russian ones, and Roman numbers
 * with an І. The Kyrgyz model does not know `№`.
 */
export function toRussianLetters(text: string): string {
  if (/^(N[eе°?]|[МM][eеoо°?]|ме)\.?$/u.test(text)) return '№';
  return toLatinNumbers(text).replace(/[ңөүӧєҢӨҮӦЄ]/gu, (letter) => RUSSIAN[letter]!);
}

const toLatinNumbers = (text: string): string =>
  text.replace(/(?<!\p{L})[ІХУIVX]+(?!\p{L})/gu, (letters) => {
    const number = letters.replace(/[ІХУ]/gu, (letter) => LATIN[letter]!);
    return letters.includes('І') && /^X{0,3}(?:IX|IV|V?I{0,3})$/u.test(number) ? number : letters;
  });

const LATIN: Record<string, string> = { І: 'I', Х: 'X', У: 'V' };
const RUSSIAN: Record<string, string> = {
  ...{ ң: 'н', ө: 'о', ү: 'у', ӧ: 'о', є: 'е' },
  ...{ Ң: 'Н', Ө: 'О', Ү: 'У', Ӧ: 'О', Є: 'Е' },
};
