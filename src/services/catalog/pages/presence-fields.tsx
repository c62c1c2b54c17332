import { Option } from '../../../ui/text-elements.tsx';
import type { KnownField } from '../search/search-types.ts';
import type { Viewer } from './frame.tsx';
import { showInvisible } from './untrusted-text.ts';

/** Each choice adds a filter, which the list of active filters shows. */
export function PresenceFields({ fields, viewer }: { fields: readonly KnownField[]; viewer: Viewer }): JSX.Element {
  const { words, language } = viewer;
  const choices = [
    ...(['project', 'tag'] as const).map((name) => ({ name, title: words.facets[name] })),
    ...fields.map(({ name, label }) => ({ name, title: label?.[language] ?? name })),
  ];
  const select = (name: 'has' | 'not_has', label: string) => (
    <label>
      <span safe>{label}</span>
      <select form="search" name={name} id={`presence-${name}`} autocomplete="off">
        <Option value="" text={words.anyField} />
        {choices.map((choice) => (
          <Option value={choice.name} text={showInvisible(choice.title)} />
        ))}
      </select>
    </label>
  );
  return (
    <div class="fields">
      {select('has', words.hasField)}
      {select('not_has', words.hasNotField)}
    </div>
  );
}
