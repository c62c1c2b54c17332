import { fill } from '../../../ui/browser/fill.ts';
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
      <h3 id="saved-title" safe>
        {words.saved}
      </h3>
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
          <label class="visually-hidden" for="view-name" safe>
            {words.saveName}
          </label>
          <input id="view-name" name="name" type="text" maxlength="100" required placeholder={words.saveName} />
          <button type="submit" class="small" safe>
            {words.saveDo}
          </button>
        </form>
      </details>
    </section>
  );
}
