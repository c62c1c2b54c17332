/**
 * Hides the video beside a HEIF image by retyping its `moov` box as `free`; offsets do not change. Otherwise the
 * decoder builds a table of all frames first, and a few bytes can declare millions. Returns a file without video
 * unchanged.
 */
export function stripVideo(file: Buffer): Buffer {
  let stripped = file;
  for (const at of boxesOf(file)) {
    if (file.readUInt32BE(at + 4) !== MOOV) continue;
    if (stripped === file) stripped = Buffer.from(file);
    stripped.writeUInt32BE(FREE, at + 4);
  }
  return stripped;
}

/** Offsets of the top-level boxes (ISO/IEC 14496-12, 4.2). */
function* boxesOf(file: Buffer): Generator<number> {
  for (let at = 0; at + 8 <= file.length; ) {
    yield at;
    const length = file.readUInt32BE(at);
    if (length === TO_THE_END) return;
    const long = length === LONG && at + 16 <= file.length;
    const whole = long ? Number(file.readBigUInt64BE(at + 8)) : length;
    if (whole < 8) return;
    at += whole;
  }
}

const [MOOV, FREE] = [0x6d6f6f76, 0x66726565];
const TO_THE_END = 0;
const LONG = 1;
