import { ownValue } from '../../../base/own-value.ts';
import { fill } from '../../../ui/browser/fill.ts';
import { moments } from '../../../ui/browser/moments.ts';
import { uiTexts } from '../../../ui/texts.ts';
import { className } from '../../class-names.ts';
import { failureText } from '../../failure-texts.ts';
import type { Hit, Scored } from '../search/found.ts';
import type { Language, Texts } from './texts.ts';
import { visible } from './visible.ts';

/** A stranger's words within ours: their direction stays their own, and nothing hides in them. */
export const Stranger = ({ text }: { text: string }): JSX.Element => <bdi safe>{visible(text)}</bdi>;

/** What a class is called at the beginning of a line. Classes of an own model may be called anything. */
export function titleOf(name: string, language: Language): string {
  const said = visible(className(name, language));
  return said.charAt(0).toLocaleUpperCase(language) + said.slice(1);
}

export const shareOf = (share: number, language: Language, digits = 0): string =>
  new Intl.NumberFormat(language, {
    style: 'percent',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    // 99.6 % is not all there is: a whole number must not say more than the decimals do.
  }).format(digits === 0 && share < 1 ? Math.min(share, 0.99) : share);

/**
 * What a record is called. A photo whose file has no name is called by what it shows, which the record says in English: here
 * it is said in the reader's language.
 */
export function nameOf(hit: Pick<Hit, 'title' | 'recordId' | 'surface' | 'master' | 'defects'>, language: Language) {
  const { title, recordId, surface, master, defects } = hit;
  const names = [surface, (defects[0] ?? master)?.name].flatMap((name) => name ?? []);
  if (names.length > 0 && title === names.map((name) => className(name, 'en')).join(': ')) {
    return names.map((name, at) => (at === 0 ? titleOf(name, language) : className(name, language))).join(': ');
  }
  return title || recordId;
}

/** Why a task failed, by its code; undefined where that has no words in the reader's language. */
export const failureSaid = (service: string, code: string | null, language: Language): string | undefined =>
  code === null ? undefined : (failureText(service, code, language) ?? ownValue(uiTexts[language].refusals, code));

/** The line below a hit: what was found of its text, or why it failed. */
export const lineOf = ({ service, failure, snippet }: Hit, language: Language): string =>
  failureSaid(service, failure, language) ?? snippet;

/** `crack 91 %`. */
export const scored = ({ name, conf }: Scored, language: Language): string =>
  `${titleOf(name, language)} ${shareOf(conf, language)}`;

/** Day and minute, in UTC: everybody who looks sees the same. */
export const moment = (at: Date, language: Language): string => moments(language, 'UTC').format(at);

export const Moment = ({ at, language }: { at: Date; language: Language }): JSX.Element => (
  <time datetime={at.toISOString()} safe>
    {moment(at, language)}
  </time>
);

/** The service as people call it; one that we have no word for, by its name. */
export const serviceOf = (name: string, words: Texts): string => ownValue(words.services, name) ?? visible(name);

/** A filter as a chip says it. */
export function filterSaid(
  key: string,
  value: string,
  { words, language }: { words: Texts; language: Language },
): string {
  switch (key) {
    case 'service':
      return serviceOf(value, words);
    case 'status':
      return ownValue(words.statuses, value) ?? visible(value);
    case 'surface':
    case 'master':
    case 'defect':
      return titleOf(value, language);
    case 'min_conf':
      return fill(words.filter.min_conf, { value: shareOf(Number(value), language) });
    case 'has_report':
      return value === 'false' ? words.filter.no_report : words.filter.has_report;
    case 'hidden':
      return words.filter.hidden;
    case 'from':
    case 'to':
      return fill(words.filter[key], { value: visible(value) });
    default:
      return fill(words.filter.q, { value: visible(value) });
  }
}
