/** What was asked and what came, kept so that a failure can show both. */
export interface Exchange {
  readonly asked: {
    readonly method: string;
    readonly path: string;
    /** In a few words where it is no text; credentials are not in it. */
    readonly body: string;
    /** Whose request it was: `with the token`, `without a token` and the like. */
    readonly as: string;
  };
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** The body as JSON; undefined where it is none, whatever its type says. */
  readonly json: unknown;
}

/** The request in one line. */
export const askedLine = ({ asked }: Exchange) =>
  [asked.method, asked.path, asked.body, asked.as && `(${asked.as})`].filter((word) => word !== '').join(' ');

/** The answer in one line: its status, its type where that is not JSON, and the beginning of its body. */
export function cameLine({ status, headers, bytes, json }: Exchange): string {
  const type = headers.get('content-type') ?? 'no content type';
  const location = headers.get('location');
  return [
    String(status),
    location !== null && `to ${location}`,
    (json === undefined || !type.includes('json')) && `[${type}]`,
    shortened(isText(type, json) ? masked(bytes.toString('utf8')) : `${bytes.length} bytes`, 400),
  ]
    .filter((word) => typeof word === 'string' && word !== '')
    .join(' ');
}

/** On one line, and no longer than that. */
export function shortened(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}

/** Credentials that a deployment gives out; what a failure shows may be pasted anywhere. */
const masked = (text: string) => text.replace(/("(?:token|receipt)"\s*:\s*")[^"]+/g, '$1…');

const isText = (type: string, json: unknown) => json !== undefined || /^text\/|xml|javascript/.test(type);
