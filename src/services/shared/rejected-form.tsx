import type { FastifyRequest } from 'fastify';
import { CSRF_FIELD } from '../../http/csrf.ts';
import { type Form, readUnreadForm } from '../../http/forms.ts';
import { isSameOrigin } from '../../http/same-origin.ts';
import { P } from '../../ui/text-elements.tsx';

export type FormFields = Readonly<Record<string, unknown>>;

/** Errors that say nothing about the route or are over after a sign-in, a correction or some time. */
const REPEATABLE: ReadonlySet<number> = new Set([400, 401, 403, 409, 412, 422, 429, 500, 503]);

/** Any client can send forms that are rejected by their headers. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/**
 * The fields of a rejected form, so that its texts are not lost; undefined for another request. Not those that another
 * site filled in, because they would be shown with a valid CSRF token. Reads the body at once ({@link readUnreadForm}).
 */
export async function rejectedFields(
  status: number,
  request: FastifyRequest,
  publicOrigins: readonly string[],
): Promise<FormFields | undefined> {
  const { method, body, raw, routeOptions } = request;
  if (method !== 'POST' || !REPEATABLE.has(status) || !isSameOrigin(request, publicOrigins)) return undefined;
  if (body !== undefined && body !== null && !(body instanceof Map)) return body as FormFields;
  const maxBytes = Math.min(routeOptions.bodyLimit ?? 0, MAX_UNREAD_BYTES);
  const form = (body as Form | null | undefined) ?? (await readUnreadForm(raw, maxBytes));
  return form && Object.fromEntries([...form].filter(([name]) => name !== CSRF_FIELD));
}

/** The text of a field, or an empty text. */
export const textIn = (fields: FormFields, name: string): string => {
  const text = fields[name];
  return typeof text === 'string' ? text : '';
};

/** What to do with the filled form of a rejected request. */
export const KeptText = ({ status, language }: { status: number; language: 'en' | 'ru' }): JSX.Element => (
  <P class="notice" text={status === 401 ? WORDS[language].keptUntilSignIn : WORDS[language].kept} />
);

const WORDS = {
  en: {
    kept: 'Your text was not saved. You can send it again here.',
    keptUntilSignIn:
      'Your text was not saved. Sign in in a new tab, then send it again here; you may be asked once more.',
  },
  ru: {
    kept: 'Ваш текст не сохранён. Его можно отправить отсюда ещё раз.',
    keptUntilSignIn:
      'Ваш текст не сохранён. Войдите в новой вкладке и отправьте его отсюда ещё раз; возможно, потребуется подтвердить отправку.',
  },
};
