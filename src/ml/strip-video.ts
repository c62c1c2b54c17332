import { readBoxHeader } from './iso-boxes.ts';

/**
 * Hides the video beside a HEIF image by retyping its `moov` box as `free`; offsets do not change. Otherwise the
 * decoder builds a table of all frames first, and a few bytes can declare millions. Returns a file without video
 * unchanged.
 */
export function stripVideo(file: Buffer): Buffer {
  let stripped = file;
  for (let at = 0; at + 8 <= file.length; ) {
    const { type, size } = readBoxHeader(file, at, file.length - at);
    if (type === 'moov') {
      if (stripped === file) stripped = Buffer.from(file);
      stripped.write('free', at + 4, 'latin1');
    }
    if (size < 8) break;
    at += size;
  }
  return stripped;
}
