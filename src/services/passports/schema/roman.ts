/** Parses a Roman numeral up to 39, also with the Cyrillic letters `Х` and `І` and with `1` or `l` for `I`. */
export function parseRoman(text: string): number | undefined {
  const plain = text
    .toUpperCase()
    .replaceAll('Х', 'X')
    .replace(/[І1L|]/gu, 'I');
  const index = NUMERALS.indexOf(plain);
  return index > 0 ? index : undefined;
}

const UNITS = ['', 'I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX'];
const NUMERALS = ['', 'X', 'XX', 'XXX'].flatMap((tens) => UNITS.map((units) => tens + units));
