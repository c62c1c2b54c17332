import type { GrayImage } from './grayscale.ts';

/** Encodes a multi-page TIFF 6.0 file: 8 bits per pixel, uncompressed, one strip per page. */
export function encodeTiff(pages: readonly GrayImage[]): Buffer {
  const parts: Buffer[] = [];
  const header = Buffer.from('II*\0\0\0\0\0', 'latin1');
  parts.push(header);
  let at = header.length;
  // Receives the offset of the next directory.
  let link: { part: Buffer; offset: number } = { part: header, offset: 4 };
  for (const { width, height, data } of pages) {
    const strip = at;
    // Directories begin at even offsets.
    const padding = Buffer.alloc(data.length % 2);
    parts.push(Buffer.from(data.buffer, data.byteOffset, data.byteLength), padding);
    at += data.length + padding.length;
    link.part.writeUInt32LE(at, link.offset);
    const directory = directoryOf([
      [TAG.width, width],
      [TAG.height, height],
      [TAG.bitsPerSample, 8],
      [TAG.compression, 1],
      [TAG.blackIsZero, 1],
      [TAG.stripOffset, strip],
      [TAG.samplesPerPixel, 1],
      [TAG.rowsPerStrip, height],
      [TAG.stripBytes, data.length],
    ]);
    parts.push(directory);
    at += directory.length;
    link = { part: directory, offset: directory.length - 4 };
  }
  return Buffer.concat(parts);
}

const TAG = {
  width: 256,
  height: 257,
  bitsPerSample: 258,
  compression: 259,
  blackIsZero: 262,
  stripOffset: 273,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  stripBytes: 279,
} as const;

const LONG = 4;

/** One LONG per entry, sorted by tag, then the offset of the next directory (0 for the last). */
function directoryOf(entries: readonly [tag: number, value: number][]): Buffer {
  const directory = Buffer.alloc(2 + entries.length * 12 + 4);
  directory.writeUInt16LE(entries.length, 0);
  for (const [index, [tag, value]] of entries.entries()) {
    const at = 2 + index * 12;
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(LONG, at + 2);
    directory.writeUInt32LE(1, at + 4);
    directory.writeUInt32LE(value, at + 8);
  }
  return directory;
}
