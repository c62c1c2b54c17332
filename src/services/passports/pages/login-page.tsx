import type { Gateway } from '../../../http/gateway.ts';
import { layout } from '../../../ui/layout.tsx';
import { LOGIN_SCRIPT, LoginForm, type LoginTexts } from '../../../ui/login-form.tsx';
import { sendPage } from '../../../ui/send-page.ts';
import { serviceLinks } from '../../shared/service-links.ts';
import { preferredLanguage } from '../../shared/task-routes.ts';
import { listTexts } from '../browser/list-texts.ts';
import type { PageDeps } from './task-page.tsx';

export function loginPage(
  app: Gateway,
  { assets, authGuard, version }: Pick<PageDeps, 'assets' | 'authGuard' | 'version'>,
): void {
  app.get('/login', { config: { access: 'public', page: true }, schema: { hide: true } }, async (request, reply) => {
    const language = preferredLanguage(request.headers['accept-language']);
    const words = listTexts[language];
    const { token, tokenSource } = await authGuard.identify(request);
    const signedIn = token !== undefined && tokenSource === 'cookie';
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

/** `refused` is the error of the previous attempt. */
export function Login(props: { words: LoginTexts; refused?: string; signedIn?: boolean }): JSX.Element {
  return (
    <LoginForm {...props} field="api_key" fragment="key">
      {''}
    </LoginForm>
  );
}
