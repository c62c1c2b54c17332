import type { ImageType } from '../base/sniff.ts';

/**
 * Whether an image declares so many scans or frames that decoding exceeds any time limit. Follows the file structure,
 * so embedded previews and videos do not count.
 */
export function isDecodeBomb(type: ImageType, file: Buffer): boolean {
  if (type === 'image/jpeg') return exceeds(scansOf(file), MAX_SCANS);
  if (type === 'image/webp') return exceeds(framesOf(file), MAX_FRAMES);
  return false;
}

// Cameras and editors write 1 to 15.
const MAX_SCANS = 100;
// A minute of video. libvips takes quadratic time: minutes for 400 000 frames (20 MiB).
const MAX_FRAMES = 2000;

function exceeds(passes: Iterable<unknown>, limit: number): boolean {
  let count = 0;
  for (const _ of passes) if (++count > limit) return true;
  return false;
}

/** Offsets of the scans of a JPEG (ITU-T T.81, B.1). */
function* scansOf(file: Buffer): Generator<number> {
  for (let at = nextMarker(file, 2); at >= 0; ) {
    const marker = file[at + 1]!;
    if (marker === END_OF_IMAGE) return;
    if (marker === START_OF_SCAN) yield at;
    const isStandalone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    if (!isStandalone && at + 4 > file.length) return;
    at = nextMarker(file, at + 2 + (isStandalone ? 0 : file.readUInt16BE(at + 2)));
  }
}

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** Offset of the next marker; skips stuffed (FF 00) and fill (FF FF) bytes. Returns -1 at the end of the file. */
function nextMarker(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1];
    if (next === undefined) return -1;
    if (next !== 0 && next !== 0xff) return at;
  }
  return -1;
}

/** Offsets of the frames of a WebP (RFC 9649, 2.7). */
function* framesOf(file: Buffer): Generator<number> {
  for (let at = 12; at + 8 <= file.length; ) {
    if (file.toString('latin1', at, at + 4) === 'ANMF') yield at;
    const length = file.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
  }
}
