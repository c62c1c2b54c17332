import type { RefusalPage } from '../../../http/refuse.ts';
import type { Assets } from '../../../ui/assets.ts';
import { layout } from '../../../ui/layout.tsx';
import { pagePolicy } from '../../../ui/send-page.ts';
import { languageOf } from '../../task-routes.ts';
import { listTexts } from '../browser/list-texts.ts';

/** A refusal for people: the sentences of the body that a program would get, and a way on. */
export function refusalPage(assets: () => Promise<Assets>, version: string): RefusalPage {
  return async (status, body, request) => {
    const said = body as { error?: { message: string }; detail?: { loc: string[]; msg: string }[] };
    const sentences = said.error
      ? [said.error.message]
      : (said.detail ?? []).map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`);
    const language = languageOf(request.headers['accept-language']);
    const words = listTexts[language];
    const root = /^\/task\/[^/?]*(\?|$)/.test(request.url) ? '../' : request.url.startsWith('/task/') ? '../../' : '';
    const html = await layout({
      ...{ language, version, root, own: {}, assets: await assets() },
      service: words.service,
      title: words.refusedTitle,
      styles: ['ui/workspace.css'],
      children: (
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
