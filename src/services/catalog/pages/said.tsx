import { ownValue } from '../../../base/own-value.ts';
import { fill } from '../../../ui/browser/fill.ts';
import { moments } from '../../../ui/browser/moments.ts';
import { uiTexts } from '../../../ui/texts.ts';
import { className } from '../../class-names.ts';
import { failureText } from '../../failure-texts.ts';
import type { Hit, Scored } from '../search/found.ts';
import type { Language, Texts } from './texts.ts';
import { visible } from './visible.ts';

/** Isolates the direction of untrusted text and shows invisible characters. */
export const Stranger = ({ text }: { text: string }): JSX.Element => <bdi safe>{visible(text)}</bdi>;

/** Class names of custom models are untrusted. */
export function titleOf(name: string, language: Language): string {
  const label = visible(className(name, language));
  return label.charAt(0).toLocaleUpperCase(language) + label.slice(1);
}

export const shareOf = (share: number, language: Language, digits = 0): string =>
  new Intl.NumberFormat(language, {
    style: 'percent',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    // 99.6 % must not be rounded to 100 %.
  }).format(digits === 0 && share < 1 ? Math.min(share, 0.99) : share);

/** Translates the generated title of a photo without a file name. */
export function nameOf(hit: Pick<Hit, 'title' | 'recordId' | 'surface' | 'master' | 'defects'>, language: Language) {
  const { title, recordId, surface, master, defects } = hit;
  const names = [surface, (defects[0] ?? master)?.name].flatMap((name) => name ?? []);
  if (names.length > 0 && title === names.map((name) => className(name, 'en')).join(': ')) {
    return names.map((name, at) => (at === 0 ? titleOf(name, language) : className(name, language))).join(': ');
  }
  return title || recordId;
}

/** Undefined when the code has no translation. */
export const failureSaid = (service: string, code: string | null, language: Language): string | undefined =>
  code === null ? undefined : (failureText(service, code, language) ?? ownValue(uiTexts[language].refusals, code));

export const lineOf = ({ service, failure, snippet }: Hit, language: Language): string =>
  failureSaid(service, failure, language) ?? snippet;

/** `crack 91 %`. */
export const scored = ({ name, conf }: Scored, language: Language): string =>
  `${titleOf(name, language)} ${shareOf(conf, language)}`;

export const moment = (at: Date, language: Language): string => moments(language, 'UTC').format(at);

export const Moment = ({ at, language }: { at: Date; language: Language }): JSX.Element => (
  <time datetime={at.toISOString()} safe>
    {moment(at, language)}
  </time>
);

export const serviceOf = (name: string, words: Texts): string => ownValue(words.services, name) ?? visible(name);

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
