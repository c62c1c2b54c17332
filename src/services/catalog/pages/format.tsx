import { getOwnProperty } from '../../../base/own-property.ts';
import { fill } from '../../../ui/browser/fill.ts';
import { createNumberFormats } from '../../../ui/browser/number-formats.ts';
import { P, Span } from '../../../ui/text-elements.tsx';
import { className } from '../../shared/class-names.ts';
import type { Status } from '../reports/report.ts';
import { parseAttribute } from '../search/attributes.ts';
import { parseRange } from '../search/field-ranges.ts';
import type { Hit, KnownField, Scored } from '../search/search-types.ts';
import type { Viewer } from './frame.tsx';
import { documentOf, type ReadField } from './result-parsers.ts';
import type { Language, Texts } from './texts.ts';
import { showInvisible } from './untrusted-text.ts';

/** Isolates the direction of untrusted text and shows invisible characters. */
export const UntrustedText = ({ text }: { text: string }): JSX.Element => <bdi safe>{showInvisible(text)}</bdi>;

export const UntrustedParagraph = (props: { text: string; class?: string }): JSX.Element => (
  <p class={props.class} dir="auto">
    <UntrustedText text={props.text} />
  </p>
);

export const Hint = ({ text }: { text: string }): JSX.Element => <P class="hint" text={text} />;

/** An entry of `<dl class="facts">`. */
export const fact = (name: string, value: JSX.Element): JSX.Element => (
  <div>
    <dt safe>{name}</dt>
    <dd>{value}</dd>
  </div>
);

export const ReportState = ({ status, words }: { status: Status; words: Texts }): JSX.Element => (
  <Span class="state" data-status={status} text={words.reportStates[status]} />
);

/** Class names of custom models are untrusted. */
export function classTitle(name: string, language: Language): string {
  const label = showInvisible(className(name, language));
  return label.charAt(0).toLocaleUpperCase(language) + label.slice(1);
}

export const formatPercent = (share: number, language: Language): string =>
  createNumberFormats(language).wholeShare(share);

/** Translates the generated title of a photo without a file name. */
export function recordTitle(
  hit: Pick<Hit, 'title' | 'recordId' | 'surface' | 'master' | 'defects'>,
  language: Language,
) {
  const { title, recordId, surface, master, defects } = hit;
  const names = [surface, (defects[0] ?? master)?.name].flatMap((name) => name ?? []);
  if (names.length > 0 && title === names.map((name) => className(name, 'en')).join(': ')) {
    return names.map((name, at) => (at === 0 ? classTitle(name, language) : className(name, language))).join(': ');
  }
  return title || recordId;
}

/** Dates stay in ISO form in English, because the search finds only the ISO and the Russian form. */
export function formatFieldValue(value: ReadField['value'], language: Language): string {
  if (typeof value === 'number') return createNumberFormats(language).value(value);
  const [, year, month, day] = (language === 'ru' && /^(\d{4})-(\d\d)-(\d\d)$/.exec(String(value))) || [];
  return year === undefined ? String(value) : `${day}.${month}.${year}`;
}

/** The fields of a document; undefined without. */
export function HitFields({ hit, viewer: { language } }: { hit: Hit; viewer: Viewer }): JSX.Element | undefined {
  const { fields } = documentOf({ fields: [...(hit.fields ?? [])] });
  if (fields.length === 0) return undefined;
  return (
    <dl class="hit-fields">
      {fields.map(({ label, value }) => (
        <div dir="auto">
          <dt safe>{showInvisible(label[language])}</dt>
          <dd>
            <UntrustedText text={formatFieldValue(value, language)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

export const summaryLine = ({ service, failure, snippet }: Hit, viewer: Viewer): string =>
  viewer.translateFailure(service, failure) ?? snippet;

/** `crack 91 %`. */
export const formatScore = ({ name, conf }: Scored, language: Language): string =>
  `${classTitle(name, language)} ${formatPercent(conf, language)}`;

export const serviceTitle = (name: string, words: Texts): string =>
  getOwnProperty(words.services, name) ?? showInvisible(name);

/** Names fields by their labels in `fields`. */
export function filterLabel(
  key: string,
  value: string,
  { words, language }: { words: Texts; language: Language },
  fields: readonly KnownField[] = [],
): string {
  const fieldTitle = (name: string) =>
    showInvisible(
      name === 'project' || name === 'tag'
        ? words.facets[name]
        : (fields.find((field) => field.name === name)?.label?.[language] ?? name),
    );
  if (key === 'not_has') return fill(words.filter.not_has, { value: fieldTitle(value) });
  if (key.startsWith('not_')) {
    return fill(words.filter.not, { value: filterLabel(key.slice('not_'.length), value, { words, language }, fields) });
  }
  switch (key) {
    case 'service':
      return serviceTitle(value, words);
    case 'status':
      return getOwnProperty(words.statuses, value) ?? showInvisible(value);
    case 'surface':
    case 'master':
    case 'defect':
      return classTitle(value, language);
    case 'min_conf':
      return fill(words.filter.min_conf, { value: formatPercent(Number(value), language) });
    case 'project':
    case 'tag':
      return showInvisible(value);
    case 'attribute': {
      const { field, value: text } = parseAttribute(key, value);
      return `${fieldTitle(field)}: ${showInvisible(text)}`;
    }
    case 'range': {
      const { field, min, max } = parseRange(value);
      const ends = max === undefined ? `≥ ${min}` : min === undefined ? `≤ ${max}` : `${min} – ${max}`;
      return `${fieldTitle(field)}: ${ends}`;
    }
    case 'has':
      return fill(words.filter.has, { value: fieldTitle(value) });
    case 'has_report':
      return value === 'false' ? words.filter.no_report : words.filter.has_report;
    case 'duplicates':
      return value === 'false' ? words.filter.no_duplicates : words.filter.duplicates;
    case 'hidden':
      return words.filter.hidden;
    case 'from':
    case 'to':
      return fill(words.filter[key], { value: showInvisible(value) });
    default:
      return fill(words.filter.q, { value: showInvisible(value) });
  }
}
