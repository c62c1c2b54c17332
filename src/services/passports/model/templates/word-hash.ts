// Letters and digits that OCR confuses between alphabets count as equal.
const LOOKALIKES: Readonly<Record<string, string>> = {
  ...{ a: 'а', b: 'в', e: 'е', k: 'к', m: 'м', h: 'н', o: 'о', p: 'р', c: 'с', t: 'т', y: 'у', x: 'х', ё: 'е' },
  ...{ i: 'і', l: 'і', j: 'і', '|': 'і', '0': 'о', '3': 'з', '6': 'б' },
};

/** Lower-case letters of `text`, with confusable letters unified. */
export function normalizeWord(text: string): string {
  const plain = /\p{L}{2}/u.test(text) ? text : text.replace(/\d/gu, '');
  return [...plain.toLowerCase()]
    .map((letter) => LOOKALIKES[letter] ?? letter)
    .join('')
    .replace(/[^\p{L}]/gu, '');
}

/** Lower-case letters and digits, with confusable letters unified; for the comparison with typed values. */
export function normalizeValue(text: string): string {
  return [...text.toLowerCase()]
    .map((letter) => (/\d/u.test(letter) ? letter : (LOOKALIKES[letter] ?? letter)))
    .join('')
    .replace(/[^\p{L}\d]/gu, '');
}

/** 32-bit FNV-1a, as a signed integer. */
export function hashWord(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash | 0;
}

const MIN_HALVED = 6;

/** Hashes of both halves: of two words that differ in one letter, one half is equal. Empty for short words. */
export function hashHalves(word: string): readonly number[] {
  if (word.length < MIN_HALVED) return [];
  const half = Math.floor(word.length / 2);
  return [hashWord(`<${word.slice(0, half)}`), hashWord(`>${word.slice(-half)}`)];
}
