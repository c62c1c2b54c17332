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
import { serviceLinks } from './neighbours.ts';
import { languageOf } from './task-routes.ts';

/** The words of a refusal. */
export interface RefusalPageTexts extends Pick<RefusalTexts, 'refusals' | 'problems'> {
  readonly service: string;
  readonly refusedTitle: string;
  /** Where people sign in. */
  readonly signIn?: string;
  readonly back: string;
  /** What a field is called on the page, by its name. */
  readonly fieldNames?: Readonly<Record<string, string>>;
}

/** A refusal for people: the sentences of the body that a program would get, and a way on. */
export function refusalPage<Texts extends RefusalPageTexts>(page: {
  assets: () => Promise<Assets>;
  version: string;
  texts: Readonly<Record<'en' | 'ru', Texts>>;
  styles: readonly string[];
  /** Shows the login form again, with what was wrong; absent where nobody signs in. */
  login?: (refused: { words: Texts; sentence: string; request: FastifyRequest }) => JSX.Element;
  /** The address of the login page that leads back to where this request wanted to go, from the page at `/`. */
  loginFor?: (request: FastifyRequest) => string;
  /** What stands below a refusal: a form that was not accepted, as it was filled in. */
  again?: (status: number, request: FastifyRequest) => Promise<JSX.Element>;
}): RefusalPage {
  return async (status, body, request) => {
    const language = languageOf(request.headers['accept-language']);
    const words = page.texts[language];
    const sentences = sentencesOf(body as Body, words);
    const root = rootOf(request.url);
    const again = (await page.again?.(status, request)) ?? '';
    const form = /^\/login(\?|$)/.test(request.url)
      ? page.login?.({ words, sentence: sentences.join(' '), request })
      : undefined;
    const html = await layout({
      ...{ language, version: page.version, root, own: {}, assets: await page.assets() },
      service: words.service,
      services: serviceLinks(request, language),
      title: words.refusedTitle,
      styles: page.styles,
      ...(form !== undefined && { script: LOGIN_SCRIPT }),
      children: form ?? (
        <section class="panel refusal" aria-labelledby="refused-title">
          <h1 id="refused-title" safe>
            {words.refusedTitle}
          </h1>
          {sentences.map((sentence) => (
            <p safe>{sentence}</p>
          ))}
          {again}
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

interface Body {
  readonly error?: { readonly code: string; readonly message: string };
  readonly detail?: readonly {
    readonly loc: readonly (string | number)[];
    readonly msg: string;
    readonly type: string;
    readonly ctx?: Readonly<Record<string, string | number>>;
  }[];
}

/** In the reader's words, where we have them. */
function sentencesOf({ error, detail = [] }: Body, words: RefusalPageTexts): string[] {
  if (error) return [words.refusals[error.code] ?? error.message];
  return detail.map(({ loc: [part, ...names], msg, type, ctx = {} }) => {
    const sentence = fill(words.problems[type] ?? msg, ctx);
    // What a part of the address is called, nobody sees who reads pages.
    if (part === 'path') return sentence;
    const name = names.join('.');
    return `${ownValue(words.fieldNames ?? {}, name) ?? name}: ${sentence}`;
  });
}
