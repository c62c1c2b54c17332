import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesETag } from '../../../http/etag.ts';
import { type ByteRange, parseRange } from '../../../http/range-header.ts';
import { rangeNotSatisfiable } from '../api-errors.ts';

/** Sent with a sandbox policy, because the bytes are untrusted. */
export interface ByteSource {
  readonly type: string;
  readonly size: number;
  readonly etag: string;
  readonly caching: string;
  /** Undefined: all bytes. */
  open(part: ByteRange | undefined): Promise<Buffer | Readable>;
}

/** Also 206, 304 and 416. HEAD ignores ranges (RFC 9110, section 14.2). */
export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: ByteSource,
): Promise<FastifyReply> {
  const { headers, method } = request;
  if (isNotModified(request, bytes.etag)) return sendNotModified(reply, bytes);
  const ifRange = headers['if-range'];
  const requested = { range: headers.range, ifRange: typeof ifRange === 'string' ? ifRange : undefined };
  const part = method === 'HEAD' ? undefined : parseRange(requested, bytes);
  if (part === 'unsatisfiable') throw rangeNotSatisfiable(bytes.size);
  const body = method === 'HEAD' ? Readable.from([]) : await bytes.open(part);
  const { start, end } = part ?? { start: 0, end: bytes.size - 1 };
  void reply.headers({ ...commonHeaders(bytes), 'accept-ranges': 'bytes', 'content-length': end - start + 1 });
  if (part !== undefined) void reply.code(206).header('content-range', `bytes ${start}-${end}/${bytes.size}`);
  return reply.type(bytes.type).send(body);
}

/** Check before fetching the bytes. */
export const isNotModified = ({ headers }: FastifyRequest, etag: string) => matchesETag(headers['if-none-match'], etag);

export const sendNotModified = (reply: FastifyReply, bytes: Pick<ByteSource, 'etag' | 'caching'>) =>
  reply.headers(commonHeaders(bytes)).code(304).send();

const commonHeaders = ({ etag, caching }: Pick<ByteSource, 'etag' | 'caching'>) => ({
  etag,
  'cache-control': caching,
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
});

export const bytesResponses = (description: string, types: readonly string[]) => {
  const content = Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]));
  return { 200: { description, content }, 206: { description: 'The requested range.', content } };
};
