/** The service said no, or could not be reached (`status` 0). */
export class Refused extends Error {
  readonly status: number;
  /** By the name of the form's field, where the service says which one is wrong. */
  readonly fields: ReadonlyMap<string, string>;

  constructor(status: number, message: string, fields: ReadonlyMap<string, string> = new Map()) {
    super(message);
    this.status = status;
    this.fields = fields;
  }
}

interface Answer {
  error?: { message: string };
  detail?: { loc: (string | number)[]; msg: string }[];
}

/**
 * Asks the service that served this page; the browser's cookies say who asks. Answers the JSON of a success, `undefined`
 * where it has no body; throws {@link Refused} for all else.
 */
export async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const headers = { accept: 'application/json', ...(init.headers as Record<string, string>) };
  const response = await fetch(path, { ...init, headers }).catch(() => undefined);
  if (response === undefined) throw new Refused(0, '');
  const text = await response.text();
  const body = (text === '' ? undefined : parsed(text)) as (T & Answer) | undefined;
  if (response.ok) return body as T;
  const fields = new Map((body?.detail ?? []).map(({ loc, msg }) => [String(loc.at(-1)), msg]));
  const said = body?.error?.message ?? [...fields.values()].join('; ');
  throw new Refused(response.status, said || `HTTP ${response.status}`, fields);
}

/** A form as a browser without scripts would send it. */
export const sendForm = <T>(path: string, form: Readonly<Record<string, string>>, headers: HeadersInit = {}) =>
  ask<T>(path, { method: 'POST', body: new URLSearchParams(form), headers: headers as Record<string, string> });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Something between us and the service answered in its place.
    return undefined;
  }
}
