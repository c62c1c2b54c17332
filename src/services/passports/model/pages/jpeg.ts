/** A JPEG without what only describes it: no EXIF, no place, no camera, no thumbnail, nothing behind its end. */
export interface BareJpeg {
  readonly width: number;
  readonly height: number;
  /** 1 grey, 3 colour, 4 the inks of print. */
  readonly components: 1 | 3 | 4;
  /** Whether inks are written as how little of each there is, which is what Adobe's programs do. */
  readonly inverted: boolean;
  /** The file, in pieces that share the memory of the original; coded data are untouched. */
  readonly pieces: readonly Buffer[];
}

/**
 * Takes a JPEG apart into its segments (ITU-T T.81, B.1) and keeps those that the picture is made of. Undefined for one
 * that a PDF cannot hold as it is (other than 8 bits, arithmetic or lossless coding) or that has no sense.
 */
export function bareJpeg(file: Buffer): BareJpeg | undefined {
  if (file.length < 4 || file.readUInt16BE(0) !== 0xffd8) return undefined;
  const pieces: Buffer[] = [file.subarray(0, 2)];
  let frame: { width: number; height: number; components: number } | undefined;
  let adobe = false;
  let at = 2;
  while (at + 4 <= file.length) {
    if (file[at] !== 0xff) return undefined;
    const marker = file[at + 1]!;
    // Bytes FF may fill the room before a marker.
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === END) break;
    const end = at + 2 + file.readUInt16BE(at + 2);
    if (end > file.length) return undefined;
    const segment = file.subarray(at, end);
    if (isFrame(marker)) frame = frameOf(marker, segment);
    if (isFrame(marker) && !frame) return undefined;
    if (marker === ADOBE && segment.toString('latin1', 4, 9) === 'Adobe') adobe = true;
    const kept = keptOf(marker, segment);
    if (kept) pieces.push(kept);
    at = end;
    if (marker !== SCAN) continue;
    at = endOfScan(file, end);
    pieces.push(file.subarray(end, at));
  }
  if (!frame || frame.width === 0 || frame.height === 0) return undefined;
  const { width, height, components } = frame;
  if (components !== 1 && components !== 3 && components !== 4) return undefined;
  return {
    width,
    height,
    components,
    inverted: adobe && components === 4,
    pieces: [...pieces, Buffer.from([0xff, END])],
  };
}

const END = 0xd9;
const SCAN = 0xda;
const COMMENT = 0xfe;
const JFIF = 0xe0;
const ADOBE = 0xee;

// C4, C8 and CC are other things than frames.
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
// Baseline, extended and progressive.
const READABLE_FRAMES = new Set([0xc0, 0xc1, 0xc2]);

function frameOf(marker: number, segment: Buffer): { width: number; height: number; components: number } | undefined {
  if (!READABLE_FRAMES.has(marker) || segment.length < 10 || segment[4] !== 8) return undefined;
  return { height: segment.readUInt16BE(5), width: segment.readUInt16BE(7), components: segment[9]! };
}

/** Of the application segments only those that say how colours are written: JFIF (less its thumbnail) and Adobe's. */
function keptOf(marker: number, segment: Buffer): Buffer | undefined {
  if (marker === JFIF && segment.toString('latin1', 4, 9) === 'JFIF\0' && segment.length >= 18) {
    const bare = Buffer.from(segment.subarray(0, 18));
    bare.writeUInt16BE(16, 2);
    bare.fill(0, 16);
    return bare;
  }
  if (marker === ADOBE && segment.toString('latin1', 4, 9) === 'Adobe') return segment;
  const describes = (marker >= 0xe0 && marker <= 0xef) || marker === COMMENT;
  return describes ? undefined : segment;
}

/** Where coded data end: at the next marker that is neither a byte FF of the data (FF 00) nor a restart. */
function endOfScan(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1];
    if (next === undefined) break;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return file.length;
}
