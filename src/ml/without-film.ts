/**
 * A HEIF file of which nobody sees that it has a film beside its picture: a decoder would write a table of all frames
 * before it looks at the picture, and a few bytes say that there are millions. Everything stays at its place; a file without
 * a film is given back as it is.
 */
export function withoutFilm(file: Buffer): Buffer {
  let still = file;
  for (const at of boxesOf(file)) {
    if (file.readUInt32BE(at + 4) !== MOOV) continue;
    if (still === file) still = Buffer.from(file);
    still.writeUInt32BE(FREE, at + 4);
  }
  return still;
}

/** Where the boxes of the file itself begin (ISO/IEC 14496-12, 4.2). */
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
