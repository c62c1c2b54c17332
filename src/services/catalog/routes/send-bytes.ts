import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matches } from '../../../http/etag.ts';
import { type ByteRange, rangeOf } from '../../../http/range.ts';
import { rangeNotSatisfiable } from '../refusals.ts';

/** Bytes that somebody gave us: shown as what they are, and never as a page of ours. */
export interface Bytes {
  readonly type: string;
  readonly size: number;
  /** A strong tag. */
  readonly etag: string;
  readonly caching: string;
  /** All of them, or that part. */
  open(part: ByteRange | undefined): Promise<Buffer | Readable>;
}

/**
 * Answers the bytes, or the part that is asked for; 304 to who has them, 416 where there is no such part. To HEAD a part
 * is nothing (RFC 9110, section 14.2), and the bytes are not even opened.
 */
export async function sendBytes(request: FastifyRequest, reply: FastifyReply, bytes: Bytes): Promise<FastifyReply> {
  const { headers, method } = request;
  if (hasAlready(request, bytes.etag)) return unchanged(reply, bytes);
  const ifRange = headers['if-range'];
  const asked = { range: headers.range, ifRange: typeof ifRange === 'string' ? ifRange : undefined };
  const part = method === 'HEAD' ? undefined : rangeOf(asked, bytes);
  if (part === 'unsatisfiable') throw rangeNotSatisfiable(bytes.size);
  const body = method === 'HEAD' ? Readable.from([]) : await bytes.open(part);
  const { start, end } = part ?? { start: 0, end: bytes.size - 1 };
  void reply.headers({ ...kept(bytes), 'accept-ranges': 'bytes', 'content-length': end - start + 1 });
  if (part !== undefined) void reply.code(206).header('content-range', `bytes ${start}-${end}/${bytes.size}`);
  return reply.type(bytes.type).send(body);
}

/** To be asked before the bytes are fetched from anywhere. */
export const hasAlready = ({ headers }: FastifyRequest, etag: string) => matches(headers['if-none-match'], etag);

export const unchanged = (reply: FastifyReply, bytes: Pick<Bytes, 'etag' | 'caching'>) =>
  reply.headers(kept(bytes)).code(304).send();

const kept = ({ etag, caching }: Pick<Bytes, 'etag' | 'caching'>) => ({
  etag,
  'cache-control': caching,
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
});

/** How the answers stand in the description. */
export const bytesAnswers = (description: string, types: readonly string[]) => {
  const content = Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]));
  return { 200: { description, content }, 206: { description: 'The part that `Range` asks for.', content } };
};
