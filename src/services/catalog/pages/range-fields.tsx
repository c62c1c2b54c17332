import { fill } from '../../../ui/browser/fill.ts';
import type { FieldRange, KnownField } from '../search/search-types.ts';
import { UntrustedText } from './format.tsx';
import type { Viewer } from './frame.tsx';
import { showInvisible } from './untrusted-text.ts';

/** Further fields are collapsed. */
const EXPANDED_COUNT = 4;

/** Two inputs per field with numbers; hidden without a matching record of its service, which the script updates. */
export function RangeFields(props: {
  fields: readonly KnownField[];
  ranges: readonly FieldRange[];
  services: readonly string[] | undefined;
  viewer: Viewer;
}): JSX.Element {
  const { ranges, services, viewer } = props;
  const fields = props.fields.filter(({ hasNumbers }) => hasNumbers);
  const { words, language } = viewer;
  const rangeField = ({ name, label, service }: KnownField) => {
    const range = rangeOf(name, ranges);
    const title = label?.[language] ?? name;
    const input = (end: 'min' | 'max') => (
      <input
        type="number"
        step="any"
        form="search"
        id={`${end}-${name}`}
        name={`${end}:${name}`}
        value={range?.[end]?.toString() ?? ''}
        aria-label={fill(words[end], { field: showInvisible(title) })}
      />
    );
    return (
      <div class="fields range-field" id={`range-${name}`} hidden={!range && services?.includes(service) === false}>
        <UntrustedText text={title} />
        <div class="range">
          {input('min')}
          <span aria-hidden="true">–</span>
          {input('max')}
        </div>
      </div>
    );
  };
  const further = fields.slice(EXPANDED_COUNT);
  return (
    <div class="ranges">
      {fields.slice(0, EXPANDED_COUNT).map(rangeField)}
      {further.length > 0 && (
        <details open={further.some(({ name }) => rangeOf(name, ranges))}>
          <summary safe>{`+ ${further.length}`}</summary>
          {further.map(rangeField)}
        </details>
      )}
    </div>
  );
}

const rangeOf = (name: string, ranges: readonly FieldRange[]) => ranges.find(({ field }) => field === name);

/** The ranges that the inputs do not show. */
export const otherRanges = (fields: readonly KnownField[], ranges: readonly FieldRange[]): readonly FieldRange[] =>
  ranges.filter((range) => !fields.some(({ name, hasNumbers }) => hasNumbers && rangeOf(name, ranges) === range));
