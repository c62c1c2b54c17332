// Single letters are abbreviations only before a name or a number.
const ABBREVIATION =
  /(?<![\p{L}-])(?:(?:обл|ул|пер|просп|корп|стр|[кК][вВ]|лит|пос|дер|пом|гор)(?=\s*[\p{L}\d,]|\s*$)|(?:[гсд]|ст)(?=\s+[\p{Lu}\d]))(?![\p{L}.-])/gu;
const MISSING_COMMA =
  /(?<=обл\.|р-н|[\p{L}\d»])(?<!(?<!\p{L})(?:и|в|на|по|у|[ГМ]О|ж\/?д|железнодорожная|платформа|разъезд))\s+(?=(?:г|с|д|ст|гор|пос|дер|мкр|корп|стр|[кК][вВ]|лит|пом)\.\s?[\p{Lu}\d«])/gu;
// Not within `Тверская ул. 10`, `Большой пр. П. С.` and `2-й пер. Тружеников`.
const MISSING_STREET_COMMA =
  /(?<=[\p{L}\d»])(?<!(?<!\p{L})(?:и|в|на|по|у)|[аы]я|[иыо]й|\d-\p{Ll}{1,2})\s+(?=(?:ул|пер|пр|просп)\.\s?\p{Lu})/gu;

/** Before the district after a region: `Тверская обл. Кимрский р-н`, `212 км ПК 4 Олевский район`. */
const MISSING_DISTRICT_COMMA = /(?<=обл\.|\d)\s+(?=\p{Lu}[\p{L}-]+[иоы]й р(?:-н|айон)(?!\p{L}))/gu;

/** A town or village whose letter was read as a capital, or twice: `Г Орск`, `Сс Коноваловка`. With a dot it can be an initial. */
const CAPITAL_TOWN =
  /(?:(?<=^|,\s)(?:[ГС]|Гг|Сс)|(?<=(?<!\p{L})(?:обл\.|область)\s)Г)(?=\s\p{Lu}\p{Ll}{2})(?!\s(?:Петербург|[\p{L}-]{3,30}\s(?:ул|пр|пер|просп|наб)(?!\p{L})))/gu;

const STRAY_DOT = /(?<=[IVX\d])\.$|(?<=[сц]к(?:ая|ий|ое|ой))\.(?=\s\p{Ll}|,)|(?<=(?<!\p{L})край)\.(?=\s\p{Ll}|,|$)/gu;

/** A number 3 of a house, a flat or premises that OCR reads as the letter З: `д. ЗА`, `д. За`, `помещение ЗН`. */
const HOUSE_NUMBER =
  /(?<=(?<!\p{L})(?:д|дом|кв|квартира|пом|помещение|зд|здание|стр|строение|оф|офис)\.?\s)З(?=(?:\p{Lu}?(?![\p{L}.])|[а-г](?!\p{L})))/gu;

/** A Canadian postal code. */
const POSTAL_CODE = /(?<![\p{L}\d])[A-Z][\dO][A-Z] [\dO][A-Z][\dO](?![\p{L}\d])/gu;

const DIGITS_OF_CODE = new Set([1, 4, 6]);

/** A comma that OCR reads too high, or as an opening quotation mark, before the next part. */
const ODD_COMMA = /(?<=[\p{Script=Cyrillic}\d.])\s(?:['’‘](?=\s\p{Ll}{1,6}\.\s)|„\s?(?=\p{Ll}{1,6}\.\s))/gu;

/** After a whole word and before the next part: `Окружная улица. дом 42`. */
const HIGH_COMMA =
  /(?<=(?<!\p{L})(?:улица|проспект|переулок|шоссе|площадь|проезд|бульвар|набережная|область|район|республика))\.(?=\s(?:\p{L}{1,6}\.|дом|корпус|строение|квартира|город|село)\s)/giu;

/** Letters that OCR reads for digits of houses and flats; `text` has their labels. */
export const correctHouseNumbers = (text: string): string => text.replace(HOUSE_NUMBER, '3');

/** Like `correctAddress`, also with errors that only OCR makes. */
export const correctOcrAddress = (text: string): string =>
  correctAddress(
    correctHouseNumbers(text)
      .replace(ODD_COMMA, (sign) => (sign.includes('„') ? ', ' : ','))
      .replace(HIGH_COMMA, ','),
  );

/** The next part of an address is a town, a village or a district. */
const NEXT_PLACE =
  /^,\s(?:(?:г|гор|город|пос|посёлок|пгт|рп|с|село|дер|ст|станица|х|аул)\.?\s|[\p{L}-]+(?:ский|цкий|ой|ый)\s(?:район|р-н))/iu;
const TERRITORY = /^(?:алтай|забайкаль|камчат|краснодар|краснояр|перм|примор|ставрополь|хабаров)ский$/iu;
const REPUBLIC =
  /^(?:адыгея|башкортостан|бурятия|дагестан|ингушетия|калмыкия|карелия|коми|марий эл|мордовия|татарстан|тыва|хакасия)$/iu;

/**
 * Adds the kind of the region to an address whose parts stood in blanks of their own: `Краснодарский, г. Ейск` to `Краснодарский
 * край, г. Ейск`. The kind is the label of its blank, or printed beside it. The schema adds it to names in `ская`.
 */
export function withRegionKind(text: string): string {
  const [name = ''] = /^[^,]*/u.exec(text) ?? [];
  const rest = text.slice(name.length);
  if (!NEXT_PLACE.test(rest)) return text;
  const inCase = (kind: string) => (name === name.toUpperCase() ? kind.toUpperCase() : kind);
  if (TERRITORY.test(name)) return `${name} ${inCase('край')}${rest}`;
  return REPUBLIC.test(name) ? `${inCase('Республика')} ${text}` : text;
}

/** Without specks and full stops of a sentence: `край.,`, `пом. IV.` */
export const withoutStrayDots = (text: string): string => text.replace(STRAY_DOT, '');

/** Writes abbreviations of an address with the dots, and its parts with the commas, that OCR or a form left out. */
export function correctAddress(text: string): string {
  return withoutStrayDots(text)
    .replace(CAPITAL_TOWN, (town) => town.at(0)!.toLowerCase())
    .replace(ABBREVIATION, '$&.')
    .replace(MISSING_COMMA, ', ')
    .replace(MISSING_STREET_COMMA, ', ')
    .replace(MISSING_DISTRICT_COMMA, ', ')
    .replace(POSTAL_CODE, (code) =>
      [...code].map((one, i) => (one === 'O' && DIGITS_OF_CODE.has(i) ? '0' : one)).join(''),
    );
}
