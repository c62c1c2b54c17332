import type { Gateway } from '../../../http/gateway.ts';
import { layout } from '../../../ui/layout.tsx';
import { LOGIN_SCRIPT, LoginForm, type LoginTexts } from '../../../ui/login-form.tsx';
import { sendPage } from '../../../ui/send-page.ts';
import { serviceLinks } from '../../neighbours.ts';
import { languageOf } from '../../task-routes.ts';
import { listTexts } from '../browser/list-texts.ts';
import type { PageNeeds } from './task-page.tsx';

/** `GET /login`: an API key in, and the browser may do what its token may. */
export function loginPage(
  app: Gateway,
  { assets, door, version }: Pick<PageNeeds, 'assets' | 'door' | 'version'>,
): void {
  app.get('/login', { config: { access: 'public', page: true }, schema: { hide: true } }, async (request, reply) => {
    const language = languageOf(request.headers['accept-language']);
    const words = listTexts[language];
    const { token, by } = await door.look(request);
    const signedIn = token !== undefined && by === 'cookie';
    const html = await layout({
      ...{ language, version, own: {}, assets: await assets() },
      service: words.service,
      services: serviceLinks(request, language),
      title: words.signIn,
      styles: ['ui/workspace.css', 'services/passports/browser/list.css'],
      script: LOGIN_SCRIPT,
      children: <Login words={words} signedIn={signedIn} />,
    });
    return sendPage(reply, language, html, { forms: true, personal: true });
  });
}

/** Asks for the key; `refused` says why it has to be asked for again. */
export function Login(given: { words: LoginTexts; refused?: string; signedIn?: boolean }): JSX.Element {
  return (
    <LoginForm {...given} field="api_key" fragment="key">
      {''}
    </LoginForm>
  );
}
