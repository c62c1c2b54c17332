/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The part of `size` bytes that a `Range` header asks for (RFC 9110, section 14): undefined where everything is to be
 * sent, because it asks for nothing, for several parts, or in no words that are known; `unsatisfiable` (416) where what it
 * asks for lies beyond the end. `ifRange` is the header of that name: a part of another body than `etag` is no part.
 */
export function rangeOf(
  { range, ifRange }: { range: string | undefined; ifRange: string | undefined },
  { size, etag }: { size: number; etag: string },
): ByteRange | 'unsatisfiable' | undefined {
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range.replaceAll(' ', '')) ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(from);
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  // Backwards is no range at all; beyond the end is one that cannot be had.
  if (to !== '' && Number(to) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}
