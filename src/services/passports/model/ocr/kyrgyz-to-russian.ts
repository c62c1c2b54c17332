/** Corrects Russian text recognized with the Kyrgyz model, which does not know `№`. */
export function toRussianLetters(text: string): string {
  if (/^(N[eе°?]|[МM][eеoо°?]|ме)\.?$/u.test(text)) return '№';
  return text.replace(/[ңөүҢӨҮ]/gu, (letter) => RUSSIAN[letter]!);
}

const RUSSIAN: Record<string, string> = { ң: 'н', ө: 'о', ү: 'у', Ң: 'Н', Ө: 'О', Ү: 'У' };
