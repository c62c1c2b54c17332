import type { FastifyRequest } from 'fastify';
import type { Gateway } from '../../../http/gateway.ts';
import type { Assets } from '../../../ui/assets.ts';
import { layout } from '../../../ui/layout.tsx';
import { LOGIN_SCRIPT, LoginForm } from '../../../ui/login-form.tsx';
import { sendPage } from '../../../ui/send-page.ts';
import { serviceLinks } from '../../shared/service-links.ts';
import { preferredLanguage } from '../../shared/task-routes.ts';
import type { AuthGuard } from '../auth/auth-guard.ts';
import { STYLES } from './frame.tsx';
import { type Texts, texts } from './texts.ts';

/** `back`: the page to return to. */
export function loginPage(
  app: Gateway,
  { assets, guard, version }: { assets: () => Promise<Assets>; guard: Pick<AuthGuard, 'identify'>; version: string },
): void {
  app.get('/login', { config: { access: 'public', page: true }, schema: { hide: true } }, async (request, reply) => {
    const language = preferredLanguage(request.headers['accept-language']);
    const words = texts[language];
    const signedIn = guard.identify(request)?.by === 'cookie';
    const html = await layout({
      ...{ language, version, data: {}, assets: await assets() },
      service: words.service,
      services: serviceLinks(request, language),
      title: words.signIn,
      styles: STYLES,
      script: LOGIN_SCRIPT,
      children: <Login words={words} back={returnUrlOf(request)} signedIn={signedIn} />,
    });
    return sendPage(reply, language, html, { forms: true, personal: true });
  });
}

/** `refused`: the error of the previous attempt. */
export function Login(props: {
  words: Texts;
  back: string | undefined;
  refused?: string;
  signedIn?: boolean;
}): JSX.Element {
  const { back, ...form } = props;
  return (
    <LoginForm {...form} field="token" fragment="token">
      {back === undefined ? '' : <input type="hidden" name="back" value={back} />}
    </LoginForm>
  );
}

/** The redirect checks that it is a page of the catalog. */
export function returnUrlOf({ query, body }: FastifyRequest): string | undefined {
  const fromBody = body instanceof Map ? (body.get('back') as unknown) : undefined;
  const back = (query as Readonly<Record<string, unknown>>)['back'] ?? fromBody;
  return typeof back === 'string' && back.length <= 2000 ? back : undefined;
}
