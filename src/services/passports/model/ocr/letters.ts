/**
 * What a network that is not quite of the page's language reads, as it stands there: Kyrgyz letters become the Russian ones
 * that they look like, and the scraps that a network takes for `№` when it never saw one become `№`.
 */
export function russianLetters(text: string): string {
  if (/^(N[eе°?]|[МM][eеoо°?]|ме)\.?$/u.test(text)) return '№';
  return text.replace(/[ңөүҢӨҮ]/gu, (letter) => ALIKE[letter]!);
}

const ALIKE: Record<string, string> = { ң: 'н', ө: 'о', ү: 'у', Ң: 'Н', Ө: 'О', Ү: 'У' };
