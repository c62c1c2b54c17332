import type { FastifyReply, FastifyRequest } from 'fastify';
import { getOwnProperty } from '../../../base/own-property.ts';
import type { Assets } from '../../../ui/assets.ts';
import { layout } from '../../../ui/layout.tsx';
import { sendPage } from '../../../ui/send-page.ts';
import { A } from '../../../ui/text-elements.tsx';
import { uiTexts } from '../../../ui/texts.ts';
import { SignOut } from '../../shared/csrf-input.tsx';
import type { GatewayContext } from '../../shared/service.ts';
import { serviceLinks } from '../../shared/service-links.ts';
import { preferredLanguage } from '../../shared/task-routes.ts';
import type { AuthGuard } from '../auth/auth-guard.ts';
import type { Visitor } from '../auth/visitor.ts';
import { type Language, type Texts, texts } from './texts.ts';

export const STYLES = ['ui/workspace.css', 'services/catalog/browser/catalog.css'];

export interface FrameDeps {
  readonly guard: Pick<AuthGuard, 'identify' | 'csrfToken'>;
  readonly assets: () => Promise<Assets>;
  readonly version: string;
  readonly failureTexts: GatewayContext['failureTexts'];
}

export interface Viewer {
  readonly language: Language;
  readonly words: Texts;
  /** Undefined when the code has no translation. */
  translateFailure(service: string, code: string | null): string | undefined;
  readonly visitor: Visitor | null;
  readonly moderator: boolean;
  readonly csrf: string | undefined;
}

export interface FramedPage {
  readonly title: string;
  /** Relative path to the page at `/`. */
  readonly root: '' | '../' | '../../';
  readonly script?: string;
  readonly data?: object;
  readonly styles?: readonly string[];
  readonly section?: 'records' | 'reports';
  readonly children: JSX.Element;
}

export type Frame = ReturnType<typeof createFrame>;

export function createFrame({ guard, assets, version, failureTexts }: FrameDeps) {
  function viewer(request: FastifyRequest): Viewer {
    const language = preferredLanguage(request.headers['accept-language']);
    const visitor = guard.identify(request);
    return {
      language,
      words: texts[language],
      translateFailure(service, code) {
        if (code === null) return undefined;
        const texts = { ...uiTexts[language].refusals, ...failureTexts.get(service)?.[language] };
        return getOwnProperty(texts, code);
      },
      visitor,
      moderator: visitor?.role === 'moderator',
      csrf: guard.csrfToken(request),
    };
  }

  return {
    viewer,

    /** Of an error page. */
    nav: (request: FastifyRequest, root: string) => <Nav viewer={viewer(request)} root={root} part={undefined} />,

    /** Sends a page with `Cache-Control: no-store`, because it is personal. */
    async send(reply: FastifyReply, viewer: Viewer, page: FramedPage): Promise<FastifyReply> {
      const { title, root, script, data = {}, styles = [], section, children } = page;
      const { language, words } = viewer;
      const html = await layout({
        ...{ language, version, data, root, title, assets: await assets() },
        service: words.service,
        services: serviceLinks(reply.request, language),
        styles: [...STYLES, ...styles],
        ...(script !== undefined && { script }),
        nav: <Nav viewer={viewer} root={root} part={section} />,
        children: (
          <>
            {children}
            <p id="live" class="visually-hidden" role="status"></p>
          </>
        ),
      });
      return sendPage(reply, language, html, { forms: true, personal: true });
    },
  };
}

function Nav(props: { viewer: Viewer; root: string; part: FramedPage['section'] }): JSX.Element {
  const { viewer, root, part } = props;
  const { words, visitor, moderator, csrf } = viewer;
  const current = (of: FramedPage['section']) => (part === of ? 'page' : undefined);
  return (
    <>
      {moderator && (
        <>
          <A href={root || './'} aria-current={current('records')} text={words.toRecords} />
          <A href={`${root}admin/reports`} aria-current={current('reports')} text={words.toReports} />
        </>
      )}
      {visitor?.by === 'cookie' && csrf !== undefined ? (
        <SignOut label={words.signOut} action={`${root}logout`} csrf={csrf} />
      ) : (
        <A href={`${root}login`} text={words.signIn} />
      )}
    </>
  );
}
