import { fill } from '../../../ui/browser/fill.ts';
import type { NumberField } from '../search/number-fields.ts';
import type { FieldRange } from '../search/search-types.ts';
import { UntrustedText } from './format.tsx';
import type { Viewer } from './frame.tsx';
import { showInvisible } from './untrusted-text.ts';

/** Two inputs per field; hidden without a matching record of its service, which the script updates. */
export function RangeFields(props: {
  fields: readonly NumberField[];
  ranges: readonly FieldRange[];
  services: readonly string[] | undefined;
  viewer: Viewer;
}): JSX.Element {
  const { fields, ranges, services, viewer } = props;
  const { words, language } = viewer;
  return (
    <div class="ranges">
      {fields.map(({ name, label, service }) => {
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
          <div class="fields" id={`range-${name}`} hidden={!range && services?.includes(service) === false}>
            <UntrustedText text={title} />
            <div class="range">
              {input('min')}
              <span aria-hidden="true">–</span>
              {input('max')}
            </div>
          </div>
        );
      })}
    </div>
  );
}

const rangeOf = (name: string, ranges: readonly FieldRange[]) => ranges.find(({ field }) => field === name);

/** The ranges that the inputs do not show. */
export const otherRanges = (fields: readonly NumberField[], ranges: readonly FieldRange[]): readonly FieldRange[] =>
  ranges.filter((range) => !fields.some(({ name }) => rangeOf(name, ranges) === range));
