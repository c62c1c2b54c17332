import type { FastifyRequest } from 'fastify';
import { getOwnProperty } from '../../base/own-property.ts';
import type { ErrorPage } from '../../http/error-handler.ts';
import type { Assets } from '../../ui/assets.ts';
import { type ErrorTexts, refusalText, retryAfterOf } from '../../ui/browser/error-texts.ts';
import { fill } from '../../ui/browser/fill.ts';
import { layout } from '../../ui/layout.tsx';
import { LOGIN_SCRIPT } from '../../ui/login-form.tsx';
import { rootOf } from '../../ui/root.ts';
import { pagePolicy } from '../../ui/send-page.ts';
import { uiTexts } from '../../ui/texts.ts';
import { serviceLinks } from './service-links.ts';
import { preferredLanguage } from './task-routes.ts';

export interface ErrorPageTexts extends Pick<ErrorTexts, 'refusals' | 'problems'> {
  readonly service: string;
  readonly refusedTitle: string;
  readonly signIn?: string;
  readonly back: string;
  readonly fieldNames?: Readonly<Record<string, string>>;
}

export interface RejectionCause {
  readonly code: string | undefined;
  /** Messages of invalid fields, by the name of the field. */
  readonly problems: ReadonlyMap<string, string>;
}

export function createErrorPage<Texts extends ErrorPageTexts>(page: {
  assets: () => Promise<Assets>;
  version: string;
  texts: Readonly<Record<'en' | 'ru', Texts>>;
  styles: readonly string[];
  /** The login form with an error message; absent if the service has no login. */
  login?: (refused: { words: Texts; status: number; message: string; request: FastifyRequest }) => JSX.Element;
  /** The login URL that returns to the requested page, relative to `/`. */
  loginFor?: (request: FastifyRequest) => string;
  /** The navigation of the service. */
  nav?: (request: FastifyRequest, root: string) => JSX.Element;
  /** The label of a field in the body, if it depends on the configuration. */
  fieldLabel?: (name: string, language: 'en' | 'ru') => string | undefined;
  /** Whether the page sends a parameter of the URL in this field; absent: they have the same names. */
  isFieldOf?: (field: string, parameter: string) => boolean;
  /** Shown below the error, for example the rejected form with its values. */
  rejectedForm?: (status: number, request: FastifyRequest, cause: RejectionCause) => Promise<JSX.Element>;
}): ErrorPage {
  return async (status, body, request, retryAfter) => {
    const language = preferredLanguage(request.headers['accept-language']);
    const words = page.texts[language];
    const fieldLabel = (name: string) => page.fieldLabel?.(name, language);
    const { messages, problems } = errorMessages(body as Body, words, { fieldLabel, retryAfter });
    const root = rootOf(request.url);
    const parameters = request.method === 'GET' ? invalidParameters(body as Body) : [];
    // Others are no filters: without them, the page may not exist.
    const invalid = parameters.every((name) => getOwnProperty(words.fieldNames ?? {}, name) !== undefined)
      ? parameters
      : [];
    const isInvalid = (field: string) =>
      invalid.some((name) => field === name || page.isFieldOf?.(field, name) === true);
    const title = invalid.length > 0 ? WORDS[language].invalidFilter : words.refusedTitle;
    const cause = { code: (body as Body).error?.code, problems };
    const rejectedForm = (await page.rejectedForm?.(status, request, cause)) ?? '';
    const loginForm = /^\/login(\?|$)/.test(request.url)
      ? page.login?.({ words, status, message: messages.join(' '), request })
      : undefined;
    const html = await layout({
      ...{ language, version: page.version, root, data: {}, assets: await page.assets() },
      service: words.service,
      services: serviceLinks(request, language),
      title,
      styles: page.styles,
      // An unknown path has no session.
      ...(page.nav && !request.is404 && { nav: page.nav(request, root) }),
      ...(loginForm !== undefined && { script: LOGIN_SCRIPT }),
      children: loginForm ?? (
        <section class="panel refusal" aria-labelledby="error-title">
          <h1 id="error-title" safe>
            {title}
          </h1>
          {messages.map((sentence) => (
            <p safe>{sentence}</p>
          ))}
          {rejectedForm}
          {invalid.length > 0 && (
            <p>
              <a href={urlWithout(request.url, isInvalid)} safe>
                {WORDS[language].removeFilter}
              </a>
            </p>
          )}
          <p>
            {status === 401 && words.signIn !== undefined ? (
              <a
                href={root + (page.loginFor?.(request) ?? 'login')}
                {...(rejectedForm !== '' && { target: '_blank', rel: 'noopener' })}
                safe
              >
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
export function createSinglePageErrorPage(page: {
  assets: () => Promise<Assets>;
  version: string;
  titles: Readonly<Record<'en' | 'ru', string>>;
}): ErrorPage {
  const { assets, version, titles } = page;
  const textsIn = (language: 'en' | 'ru') => ({
    ...WORDS[language],
    service: titles[language],
    refusals: uiTexts[language].refusals,
    problems: {},
  });
  return createErrorPage({
    assets,
    version,
    texts: { en: textsIn('en'), ru: textsIn('ru') },
    styles: ['ui/workspace.css'],
  });
}

const WORDS = {
  en: {
    refusedTitle: 'The request failed',
    back: 'Home page',
    invalidFilter: 'Invalid filter',
    removeFilter: 'Remove the filter',
  },
  ru: {
    refusedTitle: 'Не удалось выполнить запрос',
    back: 'На главную',
    invalidFilter: 'Недопустимый фильтр',
    removeFilter: 'Убрать фильтр',
  },
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

/** Names of the parameters in the URL, if only they are invalid. */
const invalidParameters = ({ detail = [] }: Body): string[] =>
  detail.every(({ loc: [part] }) => part === 'query') ? detail.map(({ loc: [, name] }) => String(name)) : [];

/** Relative to `url`. */
function urlWithout(url: string, isRemoved: (field: string) => boolean): string {
  const kept = [...new URL(url, 'http://localhost').searchParams].filter(([field]) => !isRemoved(field));
  return `?${new URLSearchParams(kept)}`;
}

const FILE_NAMES = new Set(['file', 'files']);

/** Texts of `problems` are by error type, or of one field by `FIELD:TYPE`. */
function errorMessages(
  { error, detail = [] }: Body,
  words: ErrorPageTexts,
  { fieldLabel, retryAfter }: { fieldLabel: (name: string) => string | undefined; retryAfter: string | undefined },
): { messages: string[]; problems: Map<string, string> } {
  const problems = new Map<string, string>();
  if (error) {
    const retryAfterSeconds = retryAfterOf(retryAfter);
    const message = refusalText(words.refusals, { code: error.code, retryAfterSeconds }) ?? error.message;
    return { messages: [message], problems };
  }
  const messages = detail.map(({ loc: [part, ...names], msg, type, ctx = {} }) => {
    const text = words.problems[`${names.at(-1)}:${type}`] ?? words.problems[type] ?? msg;
    const sentence = fill(text, { ...ctx, expected: String(ctx['expected']).replaceAll(' or ', ', ') });
    // The names of URL path parameters are not shown.
    if (part === 'path') return sentence;
    const name = names.join('.');
    if (part === 'body') problems.set(name, sentence);
    // A form has only one field for files.
    const label =
      getOwnProperty(words.fieldNames ?? {}, part === 'query' ? String(names[0]) : name) ??
      fieldLabel(name) ??
      (FILE_NAMES.has(name) ? undefined : name);
    return label === undefined ? sentence : `${label}: ${sentence}`;
  });
  return { messages, problems };
}
