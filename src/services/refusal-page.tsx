import type { FastifyRequest } from 'fastify';
import { ownValue } from '../base/own-value.ts';
import type { RefusalPage } from '../http/refuse.ts';
import type { Assets } from '../ui/assets.ts';
import { fill } from '../ui/browser/fill.ts';
import type { RefusalTexts } from '../ui/browser/refusal-texts.ts';
import { layout } from '../ui/layout.tsx';
import { LOGIN_SCRIPT } from '../ui/login-form.tsx';
import { rootOf } from '../ui/root.ts';
import { pagePolicy } from '../ui/send-page.ts';
import { uiTexts } from '../ui/texts.ts';
import { serviceLinks } from './neighbours.ts';
import { languageOf } from './task-routes.ts';

export interface RefusalPageTexts extends Pick<RefusalTexts, 'refusals' | 'problems'> {
  readonly service: string;
  readonly refusedTitle: string;
  readonly signIn?: string;
  readonly back: string;
  readonly fieldNames?: Readonly<Record<string, string>>;
}

export function refusalPage<Texts extends RefusalPageTexts>(page: {
  assets: () => Promise<Assets>;
  version: string;
  texts: Readonly<Record<'en' | 'ru', Texts>>;
  styles: readonly string[];
  /** The login form with an error message; absent if the service has no login. */
  login?: (refused: { words: Texts; sentence: string; request: FastifyRequest }) => JSX.Element;
  /** The login URL that returns to the requested page, relative to `/`. */
  loginFor?: (request: FastifyRequest) => string;
  /** Shown below the error, for example the rejected form with its values. */
  again?: (status: number, request: FastifyRequest) => Promise<JSX.Element>;
}): RefusalPage {
  return async (status, body, request) => {
    const language = languageOf(request.headers['accept-language']);
    const words = page.texts[language];
    const messages = errorMessages(body as Body, words);
    const root = rootOf(request.url);
    const rejectedForm = (await page.again?.(status, request)) ?? '';
    const loginForm = /^\/login(\?|$)/.test(request.url)
      ? page.login?.({ words, sentence: messages.join(' '), request })
      : undefined;
    const html = await layout({
      ...{ language, version: page.version, root, own: {}, assets: await page.assets() },
      service: words.service,
      services: serviceLinks(request, language),
      title: words.refusedTitle,
      styles: page.styles,
      ...(loginForm !== undefined && { script: LOGIN_SCRIPT }),
      children: loginForm ?? (
        <section class="panel refusal" aria-labelledby="refused-title">
          <h1 id="refused-title" safe>
            {words.refusedTitle}
          </h1>
          {messages.map((sentence) => (
            <p safe>{sentence}</p>
          ))}
          {rejectedForm}
          <p>
            {status === 401 && words.signIn !== undefined ? (
              <a href={root + (page.loginFor?.(request) ?? 'login')} safe>
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

/** The error page of a service with a single page at `/`. */
export function unknownPage(page: {
  assets: () => Promise<Assets>;
  version: string;
  titles: Readonly<Record<'en' | 'ru', string>>;
}): RefusalPage {
  const { assets, version, titles } = page;
  const textsIn = (language: 'en' | 'ru') => ({
    ...WORDS[language],
    service: titles[language],
    refusals: uiTexts[language].refusals,
    problems: {},
  });
  return refusalPage({
    assets,
    version,
    texts: { en: textsIn('en'), ru: textsIn('ru') },
    styles: ['ui/workspace.css'],
  });
}

const WORDS = {
  en: { refusedTitle: 'The request failed', back: 'Home page' },
  ru: { refusedTitle: 'Не удалось выполнить запрос', back: 'На главную' },
};

interface Body {
  readonly error?: { readonly code: string; readonly message: string };
  readonly detail?: readonly {
    readonly loc: readonly (string | number)[];
    readonly msg: string;
    readonly type: string;
    readonly ctx?: Readonly<Record<string, string | number>>;
  }[];
}

function errorMessages({ error, detail = [] }: Body, words: RefusalPageTexts): string[] {
  if (error) return [words.refusals[error.code] ?? error.message];
  return detail.map(({ loc: [part, ...names], msg, type, ctx = {} }) => {
    const sentence = fill(words.problems[type] ?? msg, ctx);
    // The names of URL path parameters are not shown.
    if (part === 'path') return sentence;
    const name = names.join('.');
    return `${ownValue(words.fieldNames ?? {}, name) ?? name}: ${sentence}`;
  });
}
