import type { FastifyRequest } from 'fastify';
import { fill } from '../../../ui/browser/fill.ts';
import { A, Button, H3, Label } from '../../../ui/text-elements.tsx';
import { CsrfInput } from '../../shared/csrf-input.tsx';
import { type FormFields, textIn } from '../../shared/rejected-form.tsx';
import type { View } from '../views/views.ts';
import { AlertForm } from './alert-form.tsx';
import { Hint, UntrustedText } from './format.tsx';
import type { Frame, Viewer } from './frame.tsx';
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
          {views.map((view) => (
            <li>
              <a href={searchUrl(view.query)} id={view.id} data-swap>
                <UntrustedText text={view.name} />
              </a>
              <form method="post" action={`views/${view.id}/delete`}>
                <CsrfInput csrf={csrf} />
                <button type="submit" class="link" aria-label={fill(words.remove, { name: showInvisible(view.name) })}>
                  ×
                </button>
              </form>
              {viewer.visitor?.by !== 'open' && <ViewAlert {...{ view, viewer }} />}
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary safe>{words.save}</summary>
        <NewViewForm action="views/new" query={queryWith(state, {})} viewer={viewer} />
      </details>
    </section>
  );
}

function NewViewForm(props: { action: string; query: string; name?: string; viewer: Viewer }): JSX.Element {
  const { action, query, name, viewer } = props;
  const { words, csrf } = viewer;
  return (
    <form method="post" action={action} class="save">
      <CsrfInput csrf={csrf} />
      {/* Only the query follows the results, so that typed text stays. */}
      <span data-fresh="saved-query">
        <input type="hidden" name="query" value={query} />
      </span>
      <Label class="visually-hidden" for="view-name" text={words.saveName} />
      <input
        {...{ id: 'view-name', name: 'name', type: 'text', maxlength: '100', value: name }}
        required
        placeholder={words.saveName}
      />
      <Button type="submit" class="small" text={words.saveDo} />
    </form>
  );
}

/** The form of a rejected view with a link to its search; nothing for other forms. */
export function rejectedViewForm(frame: Frame, fields: FormFields, request: FastifyRequest): JSX.Element {
  if (request.routeOptions.url !== '/views/new') return '';
  const viewer = frame.viewer(request);
  const [name, query] = [textIn(fields, 'name'), textIn(fields, 'query')];
  return (
    <>
      <NewViewForm action="new" {...{ name, query, viewer }} />
      <p>
        <A href={`.${searchUrl(query)}`} text={viewer.words.toResults} />
      </p>
    </>
  );
}

function ViewAlert({ view, viewer }: { view: View; viewer: Viewer }): JSX.Element {
  const { id, alert } = view;
  const { words, csrf } = viewer;
  const error = alert?.lastDelivery?.lastError;
  return (
    <div class="alert">
      <details>
        <summary safe>{alert ? words.alertOn : words.alert}</summary>
        <AlertForm action={`views/${id}/alert`} url={alert?.webhookUrl ?? ''} isOn={alert !== null} viewer={viewer} />
        {alert && (
          <form method="post" action={`views/${id}/alert/delete`}>
            <CsrfInput csrf={csrf} />
            <A href={`views/${id}/matches`} text={words.alertFeed} />
            <Button type="submit" class="small" text={words.alertOff} />
          </form>
        )}
      </details>
      {error !== undefined && <Hint text={fill(words.alertFailing, { error })} />}
    </div>
  );
}
