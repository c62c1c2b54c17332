import { fill } from '../../../ui/browser/fill.ts';
import { Button, H3, Label } from '../../../ui/text-elements.tsx';
import { CsrfInput } from '../../shared/csrf-input.tsx';
import type { View } from '../views/views.ts';
import { Hint, UntrustedText } from './format.tsx';
import type { Viewer } from './frame.tsx';
import { queryWith, type SearchState, searchUrl } from './search-url.ts';
import { showInvisible } from './untrusted-text.ts';

export function SavedViews(props: { views: readonly View[]; state: SearchState; viewer: Viewer }): JSX.Element {
  const { views, state, viewer } = props;
  const { words, csrf } = viewer;
  return (
    <section class="saved" aria-labelledby="saved-title">
      <H3 id="saved-title" text={words.saved} />
      {views.length === 0 ? (
        <Hint text={words.noSaved} />
      ) : (
        <ul>
          {views.map(({ id, name, query }) => (
            <li>
              <a href={searchUrl(query)} id={id} data-swap>
                <UntrustedText text={name} />
              </a>
              <form method="post" action={`views/${id}/delete`}>
                <CsrfInput csrf={csrf} />
                <button type="submit" class="link" aria-label={fill(words.remove, { name: showInvisible(name) })}>
                  ×
                </button>
              </form>
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary safe>{words.save}</summary>
        <form method="post" action="views/new" class="save">
          <CsrfInput csrf={csrf} />
          <input type="hidden" name="query" value={queryWith(state, {})} />
          <Label class="visually-hidden" for="view-name" text={words.saveName} />
          <input id="view-name" name="name" type="text" maxlength="100" required placeholder={words.saveName} />
          <Button type="submit" class="small" text={words.saveDo} />
        </form>
      </details>
    </section>
  );
}
