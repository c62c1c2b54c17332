import { createHash, createHmac } from 'node:crypto';

export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Lower-case name and value, in any order. */
  readonly headers: Readonly<Record<string, string>>;
  readonly payloadHash: string;
  /** `20130524T000000Z` */
  readonly time: string;
  readonly region: string;
}

/**
 * Independent implementation of AWS Signature Version 4 ("Signature Calculations for the Authorization Header:
 * Transferring Payload in a Single Chunk").
 */
export function signatureOf(request: SignedRequest, secret: string): string {
  const date = request.time.slice(0, 8);
  const scope = `${date}/${request.region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', request.time, scope, sha256(canonicalRequest(request))].join('\n');
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${secret}`, date), request.region));
  return hmac(key, toSign).toString('hex');
}

export const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

function canonicalRequest({ method, path, query, headers, payloadHash }: SignedRequest): string {
  const names = Object.keys(headers).sort();
  const pairs = query
    .split('&')
    .filter(Boolean)
    .map((pair) => {
      const [name, value = ''] = pair.split('=');
      return `${uriEncode(decodeURIComponent(name!))}=${uriEncode(decodeURIComponent(value))}`;
    });
  return [
    method,
    path
      .split('/')
      .map((segment) => uriEncode(decodeURIComponent(segment)))
      .join('/'),
    pairs.sort().join('&'),
    ...names.map((name) => `${name}:${headers[name]!.trim().replaceAll(/ +/g, ' ')}`),
    '',
    names.join(';'),
    payloadHash,
  ].join('\n');
}

/** UriEncode() of the same document: encodes all but letters, digits and `-._~`. */
const uriEncode = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
