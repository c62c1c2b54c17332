import type { Gateway } from '../../../http/gateway.ts';
import { LOGIN_SCRIPT, LoginForm, type LoginTexts } from '../../../ui/login-form.tsx';
import { listTexts } from '../browser/list-texts.ts';
import type { Frame } from './frame.tsx';

export function loginPage(app: Gateway, { frame }: { frame: Frame }): void {
  app.get('/login', { config: { access: 'public', page: true }, schema: { hide: true } }, async (request, reply) => {
    const viewer = await frame.viewer(request);
    const words = listTexts[viewer.language];
    return frame.send(reply, viewer, {
      title: words.signIn,
      styles: ['services/passports/browser/list.css'],
      script: LOGIN_SCRIPT,
      nav: '',
      children: <Login words={words} signedIn={viewer.tokenSource === 'cookie'} />,
    });
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
