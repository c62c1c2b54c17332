import type { ImageType } from '../base/sniff.ts';

/**
 * Whether an image declares so many scans, frames or directories that decoding exceeds any time limit. Follows the file
 * structure, so embedded previews and videos do not count.
 */
export function isDecodeBomb(type: ImageType, file: Buffer): boolean {
  if (type === 'image/jpeg') return exceeds(scansOf(file), MAX_SCANS);
  if (type === 'image/webp') return exceeds(framesOf(file), MAX_FRAMES);
  if (type === 'image/gif') return exceeds(gifFramesOf(file), MAX_FRAMES);
  if (type === 'image/tiff') return isTiffBomb(file);
  return false;
}

// Cameras and editors write 1 to 15.
const MAX_SCANS = 100;
// A minute of video. libvips takes quadratic time for a WebP: minutes for 400 000 frames (20 MiB). It reads the header of
// each frame of a GIF.
const MAX_FRAMES = 2000;
// libtiff reads all tags of all pages before the first pixel, twice per photo. Scans have 1 directory per page with 10 to
// 30 tags; a photo of a camera has at most 100 tags. The limits allow 2 s of CPU time each time.
const MAX_DIRECTORIES = 1000;
// libtiff takes quadratic time for unknown tags: 0.9 s for 4 000 in a directory.
const MAX_DIRECTORY_TAGS = 1000;
const MAX_TAGS = 50_000;
// Directories can share values: 20 directories with the same table of 2 million strips (16 MB) take 4.5 s.
const MAX_VALUE_BYTES = 100e6;

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

/** Offsets of the images of a GIF (GIF89a, 17 to 27). */
function* gifFramesOf(file: Buffer): Generator<number> {
  const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  for (let at = 13 + tableBytes(file[10] ?? 0); at < file.length; ) {
    if (file[at] === GIF_IMAGE) {
      yield at;
      at = endOfSubBlocks(file, at + 11 + tableBytes(file[at + 9] ?? 0));
    } else if (file[at] === GIF_EXTENSION) at = endOfSubBlocks(file, at + 2);
    else return;
  }
}

const GIF_IMAGE = 0x2c;
const GIF_EXTENSION = 0x21;

function endOfSubBlocks(file: Buffer, from: number): number {
  let at = from;
  while (file[at]) at += 1 + file[at]!;
  return at + 1;
}

function isTiffBomb(file: Buffer): boolean {
  let directories = 0;
  let allTags = 0;
  let allBytes = 0;
  for (const { tags, valueBytes } of directoriesOf(file)) {
    directories++;
    allTags += tags;
    allBytes += valueBytes;
    if (directories > MAX_DIRECTORIES || tags > MAX_DIRECTORY_TAGS) return true;
    if (allTags > MAX_TAGS || allBytes > MAX_VALUE_BYTES) return true;
  }
  return false;
}

/**
 * The directories of the pages of a TIFF or BigTIFF (TIFF 6.0, section 2). Ends at a loop and where the file ends, like
 * libtiff. Directories that only a tag links to (EXIF, reduced images) are not read by libvips.
 */
function* directoriesOf(file: Buffer): Generator<{ tags: number; valueBytes: number }> {
  const isLittle = file[0] === 0x49;
  const read = (at: number, bytes: number) =>
    bytes === 8
      ? Number(isLittle ? file.readBigUInt64LE(at) : file.readBigUInt64BE(at))
      : isLittle
        ? file.readUIntLE(at, bytes)
        : file.readUIntBE(at, bytes);
  if (file.length < 16) return;
  const { countBytes, offsetBytes, first } = read(2, 2) === 43 ? BIG_TIFF : CLASSIC_TIFF;
  const tagBytes = 4 + 2 * offsetBytes;
  /** Bytes in the file that are read for a tag in addition to the tag. */
  const valueBytesOf = (tag: number) => {
    const bytes = (TYPE_BYTES[read(tag + 2, 2)] ?? 0) * read(tag + 4, offsetBytes);
    if (bytes <= offsetBytes) return 0;
    return Math.max(0, Math.min(bytes, file.length - read(tag + 4 + offsetBytes, offsetBytes)));
  };
  const seen = new Set<number>();
  for (let at = read(first, offsetBytes); at > 0 && at + countBytes <= file.length && !seen.has(at); ) {
    seen.add(at);
    const tags = read(at, countBytes);
    const end = at + countBytes + tags * tagBytes;
    if (end > file.length) return;
    let valueBytes = 0;
    for (let tag = at + countBytes; tag < end; tag += tagBytes) valueBytes += valueBytesOf(tag);
    yield { tags, valueBytes };
    at = end + offsetBytes > file.length ? 0 : read(end, offsetBytes);
  }
}

const CLASSIC_TIFF = { countBytes: 2, offsetBytes: 4, first: 4 };
const BIG_TIFF = { countBytes: 8, offsetBytes: 8, first: 8 };

/** By the type of a tag. */
const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];
