import { composeCharacters } from '../../../base/compose-characters.ts';
import { SENTENCE_END, writeNumbers } from './numbers.ts';

/**
 * The words of a text for comparison with another one, so that spellings of the same speech are equal: without case,
 * punctuation, remarks in brackets and hesitations, with numbers in figures, abbreviations written out and one spelling of
 * English. The same idea as the normalizer of Radford et al. 2022 (arXiv:2212.04356, appendix C), also for Russian.
 * Words of other languages lose case and punctuation.
 */
export function normalizeWords(text: string): string[] {
  const plain = composeCharacters(text, 'NFC')
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replace(/[’ʼ‘`]/g, "'")
    .replaceAll(SENTENCE_END, ' ')
    .replace(/\[[^[\]]*\]|\([^()]*\)|<[^<>]*>/g, ' ');
  const tokens = splitTokens(REWRITES.reduce((whole, [from, to]) => whole.replace(from, to), plain));
  const words = tokens.flatMap((token) => expand(token)).filter((word) => !HESITATION.test(word));
  return writeNumbers(words).map(spell);
}

/** In order, on lower-case text. */
const REWRITES: readonly (readonly [from: RegExp, to: string])[] = [
  // Thousands and decimals: 1,000 and 1 000 are 1000; 2,5 is 2.5.
  [/(?<=\d),(?=\d{3}(?!\d))/g, ''],
  [/(?<=(?<!\d)\d{1,3})[ \u00a0\u202f](?=\d{3}(?!\d))/g, ''],
  [/(?<=\d),(?=\d)/g, '.'],
  [/([$€£₽₸]) ?(\d[\d.]{0,20})((?: (?:hundred|thousand|million|billion))?)/g, '$2$3 $1 '],
  // Russian endings of ordinals: 5-го.
  [/(?<=\d)-(?:[йямюех]|го|му|ый|ой|ая|ое|ого|ому|ым|ом|ую|ые|ых|ми|ти)(?!\p{L})/gu, ''],
  [/(?<!\p{L})т\. ?е\./gu, ' то есть '],
  [/(?<!\p{L})т\. ?д\./gu, ' так далее '],
  [/(?<!\p{L})т\. ?п\./gu, ' тому подобное '],
  [/(?<!\p{L})т\. ?к\./gu, ' так как '],
  // U.S. is us; full stops elsewhere divide words, except in decimals.
  [/(?<=(?<!\p{L})\p{L})\.(?=\p{L}(?!\p{L}))/gu, ''],
  [/[.!?;:…](?=\s|$)/g, ` ${SENTENCE_END} `],
  [/(?<!\d)\.|\.(?!\d)/g, ' '],
  [/(?<=\d)(?=(?:kg|km|cm|mm|m|кг|км|см|мм|м|г|т)(?!\p{L}))/gu, ' '],
  [/[%$€£₽₸°№]/g, ' $& '],
  [/\bper cent\b/g, '%'],
  // Scripts without spaces: each character is a word.
  [/(?!\p{M})(?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])/gu, ' '],
];

const splitTokens = (text: string): string[] =>
  text.split(/[^\p{L}\p{M}\p{N}'.%$€£₽₸°№|]+/u).filter((token) => /[^'.]/.test(token));

const HESITATION = /^(?:uh+|um+|h+m+|mhm|erm?|э+|эм+|хм+)$/;

const EXPANSIONS: Readonly<Record<string, string>> = {
  ...{ "won't": 'will not', "can't": 'can not', cannot: 'can not', "ain't": 'is not', "let's": 'let us' },
  ...{ "shan't": 'shall not', gonna: 'going to', wanna: 'want to', gotta: 'got to' },
  ...{ mr: 'mister', mrs: 'missus', dr: 'doctor', prof: 'professor', jr: 'junior', sr: 'senior', st: 'saint' },
  ...{ vs: 'versus', etc: 'et cetera', okay: 'ok', др: 'другие' },
};
const CONTRACTIONS: Readonly<Record<string, string>> = {
  ...{ re: 'are', ve: 'have', ll: 'will', m: 'am', s: 'is', d: 'would' },
};

function expand(token: string): string[] {
  const expansion = Object.hasOwn(EXPANSIONS, token) ? EXPANSIONS[token] : undefined;
  if (expansion !== undefined) return expansion.split(' ');
  const [, negated] = /^(\p{L}+)n't$/u.exec(token) ?? [];
  if (negated !== undefined) return [negated, 'not'];
  const [, word, ending] = /^(\p{L}+)'(re|ve|ll|[msd])$/u.exec(token) ?? [];
  if (word !== undefined && ending !== undefined) return [word, CONTRACTIONS[ending]!];
  return [token.replaceAll("'", '')];
}

/** Units and years have one form; words of British English have their American spelling. */
function spell(word: string): string {
  const unit = UNITS.find(([, forms]) => forms.test(word))?.[0];
  return unit ?? SPELLINGS.reduce((spelt, [from, to]) => spelt.replace(from, to), word);
}

const UNITS: readonly (readonly [unit: string, forms: RegExp])[] = [
  ['%', /^(?:percent|процент(?:а|у|ом|е|ы|ов|ам|ами|ах)?)$/],
  ['$', /^(?:dollars?|доллар(?:а|у|ом|е|ы|ов|ам|ами|ах)?)$/],
  ['€', /^(?:euros?|евро)$/],
  ['£', /^pounds?$/],
  ['₽', /^руб(?:л(?:ь|я|ю|ем|е|и|ей|ям|ями|ях))?$/],
  ['₸', /^тенге$/],
  ['°', /^(?:degrees?|градус(?:а|у|ом|е|ы|ов|ам|ами|ах)?)$/],
  ['№', /^номер(?:а|у|ом|е|ов|ам|ами|ах)?$/],
  ['kg', /^(?:kilos?|kilogram(?:me)?s?|кг|килограмм(?:а|у|ом|е|ы|ов|ам|ами|ах)?)$/],
  ['km', /^(?:kilomet(?:er|re)s?|км|километр(?:а|у|ом|е|ы|ов|ам|ами|ах)?)$/],
  ['cm', /^(?:centimet(?:er|re)s?|см|сантиметр(?:а|у|ом|е|ы|ов|ам|ами|ах)?)$/],
  ['mm', /^(?:millimet(?:er|re)s?|мм|миллиметр(?:а|у|ом|е|ы|ов|ам|ами|ах)?)$/],
  ['m', /^(?:met(?:er|re)s?|м|метр(?:а|у|ом|е|ы|ов|ам|ами|ах)?)$/],
  ['кв', /^квадратн(?:ый|ого|ому|ым|ом|ые|ых|ыми)$/],
  ['г', /^(?:гг|год(?:а|у|ом|е|ы|ов|ам|ами|ах)?)$/],
  ['ул', /^улиц(?:а|ы|е|у|ей|ам|ами|ах)?$/],
];

const SPELLINGS: readonly (readonly [from: RegExp, to: string])[] = [
  [/(?<=[a-z]{3})our(?=(?:s|ed|ing|able|ite|ites|ful|hood|less)?$)/, 'or'],
  [/(?<=[a-z]{4})is(?=(?:e|es|ed|ing|ation|ations|er|ers)$)/, 'iz'],
  [/(?<=[a-z]{3}l)ys(?=(?:e|es|ed|ing)$)/, 'yz'],
  [/(?<=[a-z]{2}[aeiou]l)l(?=(?:ed|ing|er|ers)$)/, ''],
  [/^(cent|theat|fib|lit|calib)re(?=s?$)/, '$1er'],
  [/(?<=^(?:catal|dial|anal|prol))ogue(?=s?$)/, 'og'],
  [/^grey(?=s|er|est|ish|$)/, 'gray'],
  [/^(defen|offen|licen)ce(?=s?$)/, '$1se'],
];
