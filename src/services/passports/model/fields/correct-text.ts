import { asDigits } from '../../schema/numbers.ts';
import { schemaPattern } from '../../schema/pattern.ts';
import type { ValueSpec } from '../../schema/schema.ts';
import { correctOcrAddress } from './correct-address.ts';

type TextSpec = ValueSpec & { readonly shapes?: readonly string[]; readonly parts?: readonly unknown[] };

/** The text of tokens as a value; usual errors of OCR are corrected if any of the tokens is recognized. */
export function toTextValue(
  spec: TextSpec,
  text: string,
  tokens: readonly { readonly confidence: number | null }[],
): string {
  const plain = normalizeText(text);
  return tokens.some(({ confidence }) => confidence !== null) ? correctOcrText(spec, plain) : plain;
}

/** Without signatures and stamps at both ends of a name: short words with low OCR confidence, and repeated ones. */
export function withoutScribbles<T extends { readonly text: string; readonly confidence: number | null }>(
  { shapes }: TextSpec,
  tokens: readonly T[],
): readonly T[] {
  if (!isOfPersons(shapes)) return tokens;
  const isScribble = ({ text, confidence }: T) =>
    confidence !== null && /^[^\d.]{1,4}$/u.test(text) && confidence < (hasStraySigns(text) ? 0.7 : longest(text));
  const first = tokens.findIndex((token) => !isScribble(token));
  if (first < 0) return tokens;
  return withoutRepeatedNames(tokens.slice(first, tokens.findLastIndex((token) => !isScribble(token)) + 1));
}

/** Without the words of a legible signature: `Dray Callum Dray`. Another person stands behind a comma or an `и`. */
function withoutRepeatedNames<T extends { readonly text: string }>(tokens: readonly T[]): readonly T[] {
  if (tokens.length > MAX_NAME_WORDS) return tokens;
  const words = tokens.map(({ text }) => text);
  const isEnd = (word: string) => /[,;]$|^(?:и|and|&)$/u.test(word);
  const end = words.findIndex(isEnd);
  const isFirst = isRepeated(words[0]!, words.slice(1, end < 0 ? undefined : end + 1));
  const isLast = isRepeated(words.at(-1)!, words.slice(words.slice(0, -1).findLastIndex(isEnd) + 1, -1));
  // A Russian name begins with the surname.
  const isRussian = /^\p{Script=Cyrillic}+$/u.test(words[1] ?? '');
  if (isFirst && !(isLast && isRussian)) return withoutRepeatedNames(tokens.slice(1));
  return isLast ? withoutRepeatedNames(tokens.slice(0, -1)) : tokens;
}

const MAX_NAME_WORDS = 20;

const isRepeated = (word: string, others: readonly string[]): boolean =>
  /^\p{Lu}[\p{L}’'-]{2,}[,;]?$/u.test(word) && others.some((other) => plainName(other) === plainName(word));

const plainName = (word: string): string => word.replace(/[,;]$/u, '');

const hasStraySigns = (text: string): boolean => /[\\~_|‘]/u.test(text);

// Chosen: scribbles of the authored forms are read at up to 0.32. Initials have a dot.
const longest = (text: string): number => (/^\p{L}{1,2}$/u.test(text) ? 0.45 : 0);

/** The shapes are those of names of persons, and not of companies too. */
const isOfPersons = (shapes: readonly string[] | undefined): boolean =>
  shapeFactor(shapes, 'Иванов И. И.') > 1 && shapeFactor(shapes, 'ООО') < 1;

/** Normalizes spaces, punctuation and hyphenation of a value. */
export function normalizeText(text: string): string {
  const plain = text
    .replace(/^[\s:;,/|│]+/u, '')
    .replace(/(?<![\s:;,/|│_}~\\])[\s:;,/|│_}~\\]+$/u, '')
    .replace(/(?<!\s)\s+([,.;:)])/gu, '$1')
    .replace(/(?<=«[^«»]{1,200}[^\s«»])\s+(?=»)/gu, '')
    .replace(/([(«])\s+/gu, '$1')
    .replace(/(?<=[а-яё]{3}(?:но|ско))-\s(?=[а-яё]{5})/gu, '-')
    .replace(/(?<=[а-яё]{3})-\s(?=[а-яё])/gu, '')
    .replace(/(?<=\d-)\s(?=\d)/gu, '')
    .replace(/(?<=[a-z]{3}-)\s(?=[a-z])/gu, '')
    .replace(/(?<!\.)\.\.(?!\.)/gu, '.')
    .replace(/(?<=\p{Ll}{3}),\s(?:the|an?)$/u, '')
    .replace(
      /(?<=\p{Ll}{3}|\p{Lu}{3}|[»”")]|(?<!\p{Lu}\.\s?)\d|\d[-:/]?\p{L}|\d\s[мс]?м)\.$/u,
      (dot, at: number, whole: string) => (ABBREVIATED.test(inLowerCase(whole.slice(0, at))) ? dot : ''),
    )
    .trim();
  return withoutOpenBrackets(/^\([^()]*\)$/u.test(plain) ? plain.slice(1, -1) : plain);
}

/** If the last word is in capitals, whose abbreviations end as those in small letters do. */
const inLowerCase = (text: string) => (/\p{Lu}{2}$/u.test(text) ? text.toLowerCase() : text);

/** A word without its ending, as `кирп.` and `отеплен.`, and no noun or name; the form of a company; an English building material. `дерев` ends as a genitive does. */
const ABBREVIATED =
  /(?<!\p{L})(?:[Ll]td|[Ii]nc|[Cc]orp|[Cc]onc|[Gg]alv|[Rr]einf|дерев)$|(?<!\p{L})[а-яё]{2,}[бвгджзклмнпрстфхцчшщ]$(?<!(?:[ое][вкм]|[аы]м|[аяыи]х|стен|сторон|плит|бетон|кирпич|шифер|линолеум|паркет|лист|металл|брус|этаж|гараж|магазин|склад|цех|завод|сад|корпус))/u;

/** Without a bracket or quotation mark at either end whose other one is missing. */
function withoutOpenBrackets(text: string): string {
  const count = (mark: RegExp) => text.match(mark)?.length ?? 0;
  const [round, quoted] = [count(/\(/gu) - count(/\)/gu), count(/«/gu) - count(/»/gu)];
  if (quoted < 0 && !/[«"„“]/u.test(text)) return withoutOpenBrackets(text.replace(/\s?»/gu, ''));
  const start = (round > 0 && text.startsWith('(')) || (quoted > 0 && text.startsWith('«')) ? 1 : 0;
  const isOpenAtEnd = (round < 0 && text.endsWith(')')) || (quoted < 0 && text.endsWith('»')) || /[^(]\($/u.test(text);
  return text.slice(start, isOpenAtEnd ? -1 : undefined).trim();
}

/** Corrects initials, room numbers, remnants of rules, stray punctuation, and the form of a company. */
function correctOcrText(spec: TextSpec, recognized: string): string {
  const text = spec.shapes ? recognized.replace(SPACED_HYPHEN, '-') : recognized;
  const value = withoutRemnants(correctKazakhK(text))
    .replace(DOUBLED, (letters) => (isInBothCases(letters) ? letters[0]!.toUpperCase() : letters))
    .replace(DOUBLED_AT_START, (letters, upper: string) => (isInBothCases(letters) ? upper : letters))
    .replace(LOST_HYPHEN, '-')
    .replace(HALF_A_BRICK, '½')
    .replace(ACTING, 'о.')
    .replace(ROMAN, (number) =>
      number.includes('І') ? number.replace(/[ІХ]/gu, (one) => (one === 'І' ? 'I' : 'X')) : number,
    )
    .replace(/(?<=[\p{L}\d.»])\s?‚(?=\s)/gu, ',')
    .replace(REINFORCED_CONCRETE, '-б.')
    .replace(/(?<=\p{L} \/)(?: \/)+(?= \p{Ll})/gu, '')
    .replace(LOST_BREVE, 'й')
    .replace(LOST_BREVE_WITHIN, 'й')
    .replace(BREVE_AT_START, (letter) => (letter === 'й' ? 'и' : 'И'));
  if (spec.numbering)
    return value
      .replaceAll('l', '1')
      .replaceAll('І', 'I')
      .replace(/(?<=\p{L}[-/]\d{0,3})З(?=\d{0,3}$)/u, '3')
      .replace(/^([Зб])(\p{Ll})\.?$/u, (_, digit, letter) => (digit === 'З' ? '3' : '6') + letter)
      .replace(/(?<=^[A-Z])[OО](?=\d)/u, '0')
      .replace(/^\$(?=\d)/u, 'S');
  if (spec.parts) return correctOcrAddress(value);
  const corrected = correctInitials(spec.shapes, value);
  // Spaces are removed only from numbers with colons.
  const kept = /\s/u.test(corrected) || !/\s/u.test(value) || value.includes(':') ? corrected : value;
  const named = isOfPersons(spec.shapes) ? kept.replace(LAST_INITIAL_3, 'З.') : kept;
  return named.replace(COMPANY_BRACKET, 'ООО ').replace(COMPANY, correctCompany);
}

/** `ОО(«` */
const COMPANY_BRACKET = /(?<![\d\p{L}])[0OОо]{2}\(\s?(?=[«"„])/u;

/** `000 «`, `QOQ «`, `ОО «`, `Т00 «`, `0А0 «`, `ФГУГ «`. */
const COMPANY = /(?<![\d\p{L}])(?:[0OQОо]{2}|[0OQОоТЗПА]{3}|(?:Ф?Г|М)УГ)(?=\s?[«"„])/u;

const correctCompany = (read: string): string => {
  if (read.endsWith('УГ')) return read.replace(/Г$/u, 'П');
  const form = read.replace(/^..$/u, 'ООО').replace(/[0OQо]/gu, 'О');
  return /^(?:ООО|ТОО|ПАО|ОАО|ЗАО)$/u.test(form) ? form : read;
};

/** One letter that was recognized twice, in both cases: `WwW. E. Landry`, `П.иИ.`; `Ее` and `Ss.` are words. */
const DOUBLED = /(?<!\p{L})(?:\p{Ll}\p{Lu}|\p{L}{3,4})(?!\p{L})/gu;

/** `Ммензелинское`, not `Ккал`. Only letters with which no other word begins twice. */
const DOUBLED_AT_START = /(?<!\p{L})([КМНПТХШWKXZ])\p{Ll}(?=\p{Ll})(?!ал(?:\P{L}|ори))/gu;

const isInBothCases = (letters: string): boolean => {
  const [first = '', ...others] = letters;
  return (
    others.every((other) => other.toLowerCase() === first.toLowerCase()) && others.some((other) => other !== first)
  );
};

/** `ж. -6. плиты`: ж.-б. */
const REINFORCED_CONCRETE = /(?<=(?<!\p{L})ж\.)\s?-\s?6\.(?=\s?\p{Ll}{3}|$)/gu;

/** Of names: `Arsenault -Donovan`. */
const SPACED_HYPHEN = /(?<=\p{L}{3})(?: -|- )(?=\p{Lu}\p{Ll})/gu;

/** `административно хозяйственная`: first parts of compound adjectives. Others, as `научно`, are adverbs too. */
const LOST_HYPHEN =
  /(?<=(?<!\p{L})(?:административно|бытово|военно|жилищно|земельно|квартирно|коммунально|лечебно|проектно|ремонтно|строительно|торгово|учебно))\s(?=\p{Ll}{4,24}(?:[ыио]й|[ая]я|[ыоеи]е|[ое]го|[ыи][хм])(?!\p{L}))/giu;

/** `% кирпича`, `2% кирпича`, not `60% кирпича`: walls are measured in bricks. */
const HALF_A_BRICK = /(?<=(?:^|[^\d\s.,])\s?[1-4]?)%(?=\s?кирпича)/gu;

/** The acting head: `И. о Иванов А. А.` Without initials after it, `о` can be one. */
const ACTING = /(?<=^И\.\s?)о(?=\s\p{Lu}[\p{L}-]{1,40}\s\p{Lu}\.)/u;

/** Roman numbers with the letter І, which Russian lacks. */
const ROMAN = /(?<!\p{L})[ІХXVI]{2,}(?!\p{L})/gu;

/** At the end of a word that ends in no `и`: `наружныи`, `глинои`, but not `стеклообои` and `слои`. */
const LOST_BREVE = /(?<=[а-яё]{2}ы|[а-яё]{3}[вгджзклмнрстфхцчшщ]о)и(?!\p{L})/gu;

/** Within words of buildings and addresses: `пристроика`, `линеиная`, `раион`. */
const LOST_BREVE_WITHIN =
  /(?<=стро)и(?=к)|(?<=\d-\s?сло)и(?=н)|(?<=(?<!\p{L})(?:дво|тро))и(?=н(?:ой|ая|ое|ые|ых|ик))|(?<=(?<!\p{L})лине)и(?=н)|(?<=(?<!\p{L})во)и(?=лок)|(?<=[Рр]а)и(?=он)|(?<=хозя)и(?=ств)|(?<=(?<!\p{L})са)и(?=динг)/gu;

/** No Russian word begins with `й` and a consonant: `йнженер`. */
const BREVE_AT_START = /(?<![\p{L}\d])[йЙ](?=[бвгджзклмнпрстфхцчшщ]{1,3}[аеёиоуыэюя])/gu;

/** `қирпичные`, in a text without other Kazakh letters. */
const correctKazakhK = (text: string): string => (/[әғңөұүһі]/iu.test(text) ? text : text.replaceAll('қ', 'к'));

/** `Лычагина 3` */
const LAST_INITIAL_3 = /(?<=^\p{Lu}\p{Ll}{2,} )3\.?$/u;

/** Without brackets and bars at the start that stand for a rule, and without the last dots of a dotted line. */
function withoutRemnants(text: string): string {
  const undotted = text.replace(/^[.,:;·]+\s*(?=\p{L}|\d+[-/])/u, '');
  if (undotted !== text) return withoutRemnants(undotted);
  const rest = text.replace(/^[[\]|{}~_‘’'`„‚]+\s*/u, '');
  return /[\]})’'“”]/u.test(rest) || rest === '' ? text : rest;
}

/** The score factor for matching the field's `shapes`. */
export function shapeFactor(shapes: readonly string[] | undefined, value: string): number {
  if (!shapes) return 1;
  return shapes.some((shape) => schemaPattern(shape, 'u').test(value)) ? 1.05 : 0.7;
}

/** Corrects words, then confused digits and letters and lost dots of initials if the result matches the field's `shapes`. */
export function correctInitials(shapes: readonly string[] | undefined, value: string): string {
  if (!shapes) return value;
  const text = value
    .replace(/^l(?=(?!as |es |os )[a-z]{2,12} \p{Lu})/u, 'I')
    .replace(/(?<=\p{Ll}{2})(?=\p{Lu}\.)/gu, ' ');
  const single = text.replace(TWO_LETTERS, (both, upper: string, lower: string) =>
    upper.toLowerCase() === lower ? `${upper}.` : both,
  );
  if (shapeFactor(shapes, single) > 1) return single;
  const signed = isOfPersons(shapes) ? single.replace(/(?<=(?<!\p{L})\p{Lu})[;:,](?=\s?\p{L}\.$)/u, '.') : single;
  const initials = signed.replace(
    /(?<![\d\p{L}])(10|LL|[03469b[])(?![\d\p{L}])/gu,
    (match) => INITIALS[match] ?? match,
  );
  const upper = initials.replace(/(?<!\p{L})\p{Ll}(?=\.)/gu, (letter) => letter.toUpperCase());
  const dotted = initials.replace(/(?<!\p{L})(\p{Lu}),?(?=\s+\p{Lu}|$)/gu, '$1.');
  const corrections = [initials, upper, dotted, asDigits(text).replace(/\s/gu, '')];
  return corrections.find((one) => shapeFactor(shapes, one) > 1) ?? text;
}

/** `Хх. Валитов`: one letter was recognized in both cases. */
const TWO_LETTERS = /(?<!\p{L})(\p{Lu})(\p{Ll})\./gu;

const INITIALS: Readonly<Record<string, string>> = {
  0: 'О',
  3: 'З',
  4: 'Ч',
  6: 'Б',
  9: 'Э',
  10: 'Ю',
  LL: 'Щ',
  b: 'Б',
  '[': 'Г',
};
