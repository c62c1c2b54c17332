export interface Exchange {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly body: string;
    /** Credentials of the request: `with the token`, `without a token`… */
    readonly as: string;
  };
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** The body as JSON, regardless of its type; undefined if invalid. */
  readonly json: unknown;
}

export const formatRequest = ({ request }: Exchange) =>
  [request.method, request.path, request.body, request.as && `(${request.as})`].filter((word) => word !== '').join(' ');

/** Status, content type if not JSON, and the start of the body. */
export function formatResponse({ status, headers, bytes, json }: Exchange): string {
  const type = headers.get('content-type') ?? 'no content type';
  const location = headers.get('location');
  return [
    String(status),
    location !== null && `to ${location}`,
    (json === undefined || !type.includes('json')) && `[${type}]`,
    truncate(isText(type, json) ? masked(bytes.toString('utf8')) : `${bytes.length} bytes`, 400),
  ]
    .filter((word) => typeof word === 'string' && word !== '')
    .join(' ');
}

export function truncate(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}

/** Masks issued credentials, since reports are shared. */
const masked = (text: string) => text.replace(/("(?:token|receipt)"\s*:\s*")[^"]+/g, '$1…');

const isText = (type: string, json: unknown) => json !== undefined || /^text\/|xml|javascript/.test(type);
