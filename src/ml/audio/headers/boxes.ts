/** A part of an ISO base media file (ISO/IEC 14496-12 §4.2): a type, and content that may be boxes again. */
export interface Box {
  readonly type: string;
  /** Where its content begins and ends. */
  readonly from: number;
  readonly to: number;
}

/** The boxes that follow one another between two places, as far as they are whole, and as far as anybody writes them. */
export function* boxesIn(bytes: Buffer, from: number, to: number): Generator<Box> {
  for (let at = from, boxes = 0; at + 8 <= to && boxes < MOST_BOXES; boxes++) {
    const { type, size, head } = boxAt(bytes, at, to - at);
    if (size < head || at + size > to) return;
    yield { type, from: at + head, to: at + size };
    at += size;
  }
}

// Side by side there are a dozen, or one for each track; an index may hold millions that were made to cost its reader time.
const MOST_BOXES = 1000;

/** The first box that a path of types leads to. */
export function boxInside(bytes: Buffer, box: Box, ...path: readonly string[]): Box | undefined {
  const [type, ...rest] = path;
  if (type === undefined) return box;
  for (const inner of boxesIn(bytes, box.from, box.to)) {
    if (inner.type === type) return boxInside(bytes, inner, ...rest);
  }
  return undefined;
}

/** Its content. */
export function inside(bytes: Buffer, box: Box, ...path: readonly string[]): Buffer | undefined {
  const found = boxInside(bytes, box, ...path);
  return found && bytes.subarray(found.from, found.to);
}

/** The type, the whole size and the length of the head of the box that begins at `at`; one that does not say its size takes `left`. */
export function boxAt(bytes: Buffer, at: number, left: number): { type: string; size: number; head: number } {
  const type = bytes.toString('latin1', at + 4, at + 8);
  const size = bytes.readUInt32BE(at);
  if (size === 0) return { type, size: left, head: 8 };
  if (size === 1 && at + 16 <= bytes.length) return { type, size: Number(bytes.readBigUInt64BE(at + 8)), head: 16 };
  return { type, size, head: 8 };
}
