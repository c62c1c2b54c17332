import type { RefusalPage } from '../../../http/refuse.ts';
import type { Assets } from '../../../ui/assets.ts';
import { fill } from '../../../ui/browser/fill.ts';
import { layout } from '../../../ui/layout.tsx';
import { pagePolicy } from '../../../ui/send-page.ts';
import { languageOf } from '../../task-routes.ts';
import { type ListTexts, listTexts } from '../browser/list-texts.ts';
import { LOGIN_SCRIPT, LoginForm } from './login-page.tsx';

/** A refusal for people: the sentences of the body that a program would get, and a way on. */
export function refusalPage(assets: () => Promise<Assets>, version: string): RefusalPage {
  return async (status, body, request) => {
    const language = languageOf(request.headers['accept-language']);
    const words = listTexts[language];
    const sentences = sentencesOf(body as Body, words);
    const root = /^\/task\/[^/?]*(\?|$)/.test(request.url) ? '../' : request.url.startsWith('/task/') ? '../../' : '';
    const atLogin = /^\/login(\?|$)/.test(request.url);
    const html = await layout({
      ...{ language, version, root, own: {}, assets: await assets() },
      service: words.service,
      title: words.refusedTitle,
      styles: ['ui/workspace.css', 'services/passports/browser/list.css'],
      ...(atLogin && { script: LOGIN_SCRIPT }),
      children: atLogin ? (
        <LoginForm words={words} refused={sentences.join(' ')} />
      ) : (
        <section class="panel" aria-labelledby="refused-title">
          <h1 id="refused-title" safe>
            {words.refusedTitle}
          </h1>
          {sentences.map((sentence) => (
            <p safe>{sentence}</p>
          ))}
          <p>
            {status === 401 ? (
              <a href={`${root}login`} safe>
                {words.signIn}
              </a>
            ) : (
              <a href={root || './'} safe>
                {words.back}
              </a>
            )}
          </p>
        </section>
      ),
    });
    return { html, policy: pagePolicy({ forms: true }) };
  };
}

interface Body {
  readonly error?: { readonly code: string; readonly message: string };
  readonly detail?: readonly {
    readonly loc: readonly string[];
    readonly msg: string;
    readonly type: string;
    readonly ctx?: Readonly<Record<string, string | number>>;
  }[];
}

/** In the reader's words, where we have them. */
function sentencesOf({ error, detail = [] }: Body, words: ListTexts): string[] {
  if (error) return [words.refusals[error.code] ?? error.message];
  return detail.map(
    ({ loc, msg, type, ctx = {} }) => `${loc.slice(1).join('.')}: ${fill(words.problems[type] ?? msg, ctx)}`,
  );
}
