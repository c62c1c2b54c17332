// Single letters are abbreviations only before a name or a number.
const ABBREVIATION =
  /(?<![\p{L}-])(?:(?:обл|ул|пер|просп|корп|стр|[кК][вВ]|лит|пос|дер|пом|гор)(?=\s*[\p{L}\d,]|\s*$)|[гсд](?=\s+[\p{Lu}\d]))(?![\p{L}.-])/gu;
const MISSING_COMMA =
  /(?<=обл\.|р-н|[\p{L}\d»])\s+(?=(?:г|с|д|ст|гор|пос|дер|ул|пер|пр|просп|мкр|корп|стр|[кК][вВ]|лит|пом)\.\s?[\p{Lu}\d«])/gu;

/** Writes abbreviations of an address with the dots, and its parts with the commas, that OCR or a form left out. */
export function correctAddress(text: string): string {
  return text.replace(ABBREVIATION, '$&.').replace(MISSING_COMMA, ', ');
}
