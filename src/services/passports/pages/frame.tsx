import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Csrf } from '../../../http/csrf.ts';
import type { Assets } from '../../../ui/assets.ts';
import { layout } from '../../../ui/layout.tsx';
import { sendPage } from '../../../ui/send-page.ts';
import { A } from '../../../ui/text-elements.tsx';
import { SignOut } from '../../shared/csrf-input.tsx';
import { serviceLinks } from '../../shared/service-links.ts';
import { preferredLanguage } from '../../shared/task-routes.ts';
import type { AuthGuard } from '../auth/auth-guard.ts';
import { listTexts } from '../browser/list-texts.ts';

export type Frame = ReturnType<typeof createFrame>;

/** The parts that all pages share. */
export function createFrame(deps: {
  assets: () => Promise<Assets>;
  authGuard: AuthGuard;
  csrf: Csrf;
  version: string;
}) {
  const { assets, authGuard, csrf, version } = deps;
  return {
    async viewer(request: FastifyRequest) {
      const visitor = await authGuard.identify(request);
      const language = preferredLanguage(request.headers['accept-language']);
      const { caller, token } = visitor;
      return { ...visitor, language, signedIn: token !== undefined, csrf: caller && csrf.token(caller.session) };
    },

    async send(
      reply: FastifyReply,
      viewer: { language: 'en' | 'ru'; signedIn: boolean; csrf: string | undefined },
      page: {
        title: string;
        styles: readonly string[];
        script?: string;
        data?: object;
        root?: '' | '../';
        /** Default: the link or button to sign in or out. */
        nav?: JSX.Element;
        children: JSX.Element;
      },
    ) {
      const { language, signedIn } = viewer;
      const { root = '', data = {} } = page;
      const texts = listTexts[language];
      const nav = signedIn ? (
        <SignOut label={texts.signOut} action={`${root}logout`} csrf={viewer.csrf!} />
      ) : (
        <A href={`${root}login`} text={texts.signIn} />
      );
      const html = await layout({
        ...{ nav, ...page, language, version, data, assets: await assets() },
        service: texts.service,
        services: serviceLinks(reply.request, language),
        styles: ['ui/workspace.css', ...page.styles],
      });
      return sendPage(reply, language, html, { forms: true, personal: true });
    },
  };
}
