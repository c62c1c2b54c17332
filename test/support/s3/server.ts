import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { sha256, signatureOf } from './signature.ts';

export const KEYS = { accessKeyId: 'TESTKEY', secretAccessKey: 'a-secret/that+nobody=prints' };
export const BUCKET = 'assay-test';
export const REGION = 'eu-test-1';

export type Fault =
  | { readonly status: number; readonly code?: string }
  /** An intermediary responds with its own page or an empty body. */
  | { readonly status: number; readonly page: string }
  /** Closes the connection before the request takes effect. */
  | 'hang-up'
  /** Closes the connection after the request takes effect. */
  | 'lose-answer'
  /** The response body ends in the middle. */
  | 'half'
  /** The response has no Content-Length. */
  | 'unmeasured'
  | 'silence';

/** A small S3 server that verifies the signature and requires the length of every request. */
export interface S3Server {
  readonly endpoint: string;
  readonly filesUrl: string;
  readonly objects: Map<string, Buffer>;
  /** Method and path of every request, including rejected ones. */
  readonly requests: string[];
  /** Requests that have no complete response: now, and at most so far. */
  readonly concurrency: { readonly now: number; readonly highest: number };
  readonly faults: Fault[];
  /** Closes the listener until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** `latencyMs`: delay of every response. */
export async function startS3Server({ pageSize = 1000, latencyMs = 0 } = {}): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  const concurrency = { now: 0, highest: 0 };
  const faults: Fault[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => {
    requests.push(`${request.method} ${request.url}`);
    const rejection = validateRequest(request, body);
    if (rejection) return sendError(response, ...rejection);
    const fault = faults.shift();
    if (fault === 'silence') return undefined;
    if (fault === 'hang-up') return request.socket.destroy();
    if (typeof fault === 'object' && 'page' in fault) return sendPage(response, fault);
    if (typeof fault === 'object') return sendError(response, fault.status, fault.code ?? 'SlowDown');
    return handleRequest({ request, response, body, objects, pageSize, fault });
  };
  const server = createServer((request, response) => {
    concurrency.highest = Math.max(concurrency.highest, ++concurrency.now);
    response.once('close', () => concurrency.now--);
    buffer(request).then(
      (body) =>
        latencyMs > 0 ? setTimeout(answer, latencyMs, request, response, body) : answer(request, response, body),
      () => {},
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    ...{ endpoint, objects, requests, concurrency, faults },
    filesUrl: `s3://${BUCKET}/some/where?endpoint=${endpoint}&region=${REGION}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
    async start() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}

/** The error for a bad signature or header. */
function validateRequest(request: IncomingMessage, body: Buffer): [status: number, code: string] | undefined {
  const { method = '', url = '', headers } = request;
  const [, key, date, region, signed, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  if (signed === undefined) return [403, 'AccessDenied'];
  if (key !== KEYS.accessKeyId) return [403, 'InvalidAccessKeyId'];
  if (region !== REGION) return [400, 'AuthorizationHeaderMalformed'];
  const names = signed.split(';');
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => names.includes(name))) {
    return [403, 'AccessDenied'];
  }
  const time = String(headers['x-amz-date']);
  const at = Date.parse(time.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  if (!(Math.abs(at - Date.now()) < 900_000) || date !== time.slice(0, 8)) return [403, 'RequestTimeTooSkewed'];
  const [path, query = ''] = url.split('?');
  const payloadHash = String(headers['x-amz-content-sha256']);
  const values = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  const right = signatureOf(
    { ...{ method, query, payloadHash, time, region }, path: path!, headers: values },
    KEYS.secretAccessKey,
  );
  if (signature !== right) return [403, 'SignatureDoesNotMatch'];
  if (headers['transfer-encoding'] !== undefined) return [501, 'NotImplemented'];
  if (method === 'PUT' && headers['content-length'] === undefined) return [411, 'MissingContentLength'];
  if (payloadHash !== sha256(body)) return [400, 'XAmzContentSHA256Mismatch'];
  if (path !== `/${BUCKET}` && !path!.startsWith(`/${BUCKET}/`)) return [404, 'NoSuchBucket'];
  return undefined;
}

function sendError(response: ServerResponse, status: number, code: string): unknown {
  response.writeHead(status, { 'content-type': 'application/xml' });
  // Like S3, it quotes the string to sign; the product must not expose it.
  return response.end(`<Error><Code>${code}</Code><StringToSign>AWS4-HMAC-SHA256 quoted</StringToSign></Error>`);
}

function sendPage(response: ServerResponse, { status, page }: { status: number; page: string }): unknown {
  return response.writeHead(status, { 'content-type': 'text/html' }).end(page);
}

function handleRequest({
  request,
  response,
  body,
  objects,
  pageSize,
  fault,
}: {
  request: IncomingMessage;
  response: ServerResponse;
  body: Buffer;
  objects: Map<string, Buffer>;
  pageSize: number;
  fault: 'lose-answer' | 'half' | 'unmeasured' | undefined;
}): unknown {
  const url = new URL(request.url!, 'http://s3');
  const key = url.pathname.slice(BUCKET.length + 2);
  if (request.method === 'PUT') objects.set(key, body);
  if (request.method === 'DELETE') objects.delete(key);
  if (fault === 'lose-answer') return request.socket.destroy();
  if (request.method === 'PUT') return response.end();
  if (request.method === 'DELETE') return response.writeHead(204).end();
  if (request.method !== 'GET') return sendError(response, 405, 'MethodNotAllowed');
  if (key === '') return listObjects(url.searchParams, response, { objects, pageSize });
  const whole = objects.get(key);
  if (whole === undefined) return sendError(response, 404, 'NoSuchKey');
  const [, from = '', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const start = Number(from);
  const end = Math.min(to === '' ? whole.length : Number(to) + 1, whole.length);
  if (from !== '' && start >= whole.length) return sendError(response, 416, 'InvalidRange');
  const bytes = whole.subarray(start, end);
  const range = from === '' ? {} : { 'content-range': `bytes ${start}-${end - 1}/${whole.length}` };
  const length = fault === 'unmeasured' ? {} : { 'content-length': bytes.length };
  response.writeHead(from === '' ? 200 : 206, { ...range, ...length });
  if (fault === 'unmeasured') response.flushHeaders();
  if (fault !== 'half') return response.end(bytes);
  return response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy());
}

function listObjects(
  query: URLSearchParams,
  response: ServerResponse,
  { objects, pageSize }: { objects: ReadonlyMap<string, Buffer>; pageSize: number },
): unknown {
  if (query.get('list-type') !== '2') return sendError(response, 400, 'InvalidArgument');
  const after = (query.get('continuation-token') ?? '').replace(TOKEN, '');
  const found = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after).sort();
  const page = found.slice(0, Math.min(Number(query.get('max-keys') ?? pageSize), pageSize));
  const more = page.length < found.length;
  return response.end(
    `<ListBucketResult><IsTruncated>${more}</IsTruncated>${page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}` +
      `${more ? `<NextContinuationToken>${TOKEN.replace('&', '&amp;')}${page.at(-1)}</NextContinuationToken>` : ''}</ListBucketResult>`,
  );
}

/** Characters with a special meaning in XML, URLs and base64. */
const TOKEN = '1/2+3==&4 ';
