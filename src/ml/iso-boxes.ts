/** A box of an ISO base media file (ISO/IEC 14496-12 §4.2). Its content may be boxes. */
export interface Box {
  readonly type: string;
  readonly from: number;
  readonly to: number;
}

export function* readBoxes(bytes: Buffer, from: number, to: number): Generator<Box> {
  for (let at = from, boxes = 0; at + 8 <= to && boxes < MAX_BOXES; boxes++) {
    const { type, size, head } = readBoxHeader(bytes, at, to - at);
    if (size < head || at + size > to) return;
    yield { type, from: at + head, to: at + size };
    at += size;
  }
}

// Real files have about a dozen siblings; a hostile index may declare millions.
const MAX_BOXES = 1000;

export function findBox(bytes: Buffer, box: Box, ...path: readonly string[]): Box | undefined {
  const [type, ...rest] = path;
  if (type === undefined) return box;
  for (const inner of readBoxes(bytes, box.from, box.to)) {
    if (inner.type === type) return findBox(bytes, inner, ...rest);
  }
  return undefined;
}

export function boxContent(bytes: Buffer, box: Box, ...path: readonly string[]): Buffer | undefined {
  const found = findBox(bytes, box, ...path);
  return found && bytes.subarray(found.from, found.to);
}

/** Reads the box header at `at`. A size of 0 means that the box takes all of `left`. */
export function readBoxHeader(bytes: Buffer, at: number, left: number): { type: string; size: number; head: number } {
  const type = bytes.toString('latin1', at + 4, at + 8);
  const size = bytes.readUInt32BE(at);
  if (size === 0) return { type, size: left, head: 8 };
  if (size === 1 && at + 16 <= bytes.length) return { type, size: Number(bytes.readBigUInt64BE(at + 8)), head: 16 };
  return { type, size, head: 8 };
}
