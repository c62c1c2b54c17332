import type { Gateway } from '../../../http/gateway.ts';
import { layout } from '../../../ui/layout.tsx';
import { sendPage } from '../../../ui/send-page.ts';
import { languageOf } from '../../task-routes.ts';
import { type ListTexts, listTexts } from '../browser/list-texts.ts';
import type { PageNeeds } from './task-page.tsx';

export const LOGIN_SCRIPT = 'services/passports/browser/login-page.js';

/** `GET /login`: an API key in, and the browser may do what its token may. */
export function loginPage(app: Gateway, { assets, version }: Pick<PageNeeds, 'assets' | 'version'>): void {
  app.get('/login', { config: { access: 'public', page: true }, schema: { hide: true } }, async (request, reply) => {
    const language = languageOf(request.headers['accept-language']);
    const words = listTexts[language];
    const html = await layout({
      ...{ language, version, own: {}, assets: await assets() },
      service: words.service,
      title: words.signIn,
      styles: ['ui/workspace.css', 'services/passports/browser/list.css'],
      script: LOGIN_SCRIPT,
      children: <LoginForm words={words} />,
    });
    return sendPage(reply, language, html, { forms: true });
  });
}

/** Asks for the key; `refused` says why it has to be asked for again. */
export function LoginForm({ words, refused }: { words: ListTexts; refused?: string }): JSX.Element {
  return (
    <form id="login" class="panel token" method="post" action="login" aria-labelledby="login-title">
      <h1 id="login-title" safe>
        {words.signIn}
      </h1>
      {refused === undefined ? (
        ''
      ) : (
        <p class="notice bad" role="alert" safe>
          {refused}
        </p>
      )}
      <p class="hint" id="login-why" safe>
        {words.signInWhy}
      </p>
      <div class="row">
        <label class="visually-hidden" for="api_key" safe>
          {words.key}
        </label>
        <input
          id="api_key"
          name="api_key"
          type="password"
          required
          autocomplete="current-password"
          spellcheck="false"
          placeholder={words.key}
          aria-describedby="login-why"
        />
        <button type="submit" class="primary" safe>
          {words.signIn}
        </button>
      </div>
    </form>
  );
}
