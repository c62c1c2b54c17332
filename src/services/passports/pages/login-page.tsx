import type { Gateway } from '../../../http/gateway.ts';
import { layout } from '../../../ui/layout.tsx';
import { LOGIN_SCRIPT, LoginForm, type LoginTexts } from '../../../ui/login-form.tsx';
import { sendPage } from '../../../ui/send-page.ts';
import { serviceLinks } from '../../neighbours.ts';
import { languageOf } from '../../task-routes.ts';
import { listTexts } from '../browser/list-texts.ts';
import type { PageNeeds } from './task-page.tsx';

/** `GET /login`: an API key in, and the browser may do what its token may. */
export function loginPage(app: Gateway, { assets, version }: Pick<PageNeeds, 'assets' | 'version'>): void {
  app.get('/login', { config: { access: 'public', page: true }, schema: { hide: true } }, async (request, reply) => {
    const language = languageOf(request.headers['accept-language']);
    const words = listTexts[language];
    const html = await layout({
      ...{ language, version, own: {}, assets: await assets() },
      service: words.service,
      services: serviceLinks(request, language),
      title: words.signIn,
      styles: ['ui/workspace.css', 'services/passports/browser/list.css'],
      script: LOGIN_SCRIPT,
      children: <Login words={words} />,
    });
    return sendPage(reply, language, html, { forms: true });
  });
}

/** Asks for the key; `refused` says why it has to be asked for again. */
export function Login({ words, refused }: { words: LoginTexts; refused?: string }): JSX.Element {
  return (
    <LoginForm words={words} field="api_key" fragment="key" {...(refused !== undefined && { refused })}>
      {''}
    </LoginForm>
  );
}
