import type { ImageType } from '../base/sniff.ts';

/**
 * Whether a decoder would go over a picture so often that no time limit of its own stops it: each pass costs the sender
 * but a few bytes. Looked up in the file's own structure, as a decoder walks through it, so that what is only kept
 * beside the picture (a preview, a film of the same moment) does not count.
 */
export function hasManyPasses(type: ImageType, file: Buffer): boolean {
  if (type === 'image/jpeg') return exceeds(scansOf(file), MAX_SCANS);
  if (type === 'image/webp') return exceeds(framesOf(file), MAX_FRAMES);
  return false;
}

// Cameras and editors write 1 to 15.
const MAX_SCANS = 100;
// A minute of film. The library looks for each frame among all: 400 000 of them, in 20 MiB, take it minutes.
const MAX_FRAMES = 2000;

function exceeds(passes: Iterable<unknown>, most: number): boolean {
  let count = 0;
  for (const _ of passes) if (++count > most) return true;
  return false;
}

/** Where the scans of a JPEG begin (ITU-T T.81, B.1), up to its end. */
function* scansOf(file: Buffer): Generator<number> {
  for (let at = nextMarker(file, 2); at >= 0; ) {
    const marker = file[at + 1]!;
    if (marker === END_OF_IMAGE) return;
    if (marker === START_OF_SCAN) yield at;
    const alone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    if (!alone && at + 4 > file.length) return;
    at = nextMarker(file, at + 2 + (alone ? 0 : file.readUInt16BE(at + 2)));
  }
}

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** The next byte FF that begins a marker, and does neither stand for itself (FF 00) nor fill room (FF FF); -1 for none. */
function nextMarker(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1];
    if (next === undefined) return -1;
    if (next !== 0 && next !== 0xff) return at;
  }
  return -1;
}

/** Where the frames of a WebP begin (RFC 9649, 2.7). */
function* framesOf(file: Buffer): Generator<number> {
  for (let at = 12; at + 8 <= file.length; ) {
    if (file.toString('latin1', at, at + 4) === 'ANMF') yield at;
    const length = file.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
  }
}
