/**
 * Removes metadata segments (ITU-T T.81, B.1) and data after the end. Undefined if invalid or not embeddable: not 8 bits,
 * arithmetic or lossless coding. The chunks share the memory of the original.
 */
export function stripJpegMetadata(file: Buffer) {
  if (file.length < 4 || file.readUInt16BE(0) !== 0xffd8) return undefined;
  const chunks: Buffer[] = [file.subarray(0, 2)];
  let frame: ReturnType<typeof frameOf>;
  let adobe = false;
  let at = 2;
  while (at + 4 <= file.length) {
    if (file[at] !== 0xff) return undefined;
    const marker = file[at + 1]!;
    // FF fill bytes may precede a marker.
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
    const kept = filterSegment(marker, segment);
    if (kept) chunks.push(kept);
    at = end;
    if (marker !== SCAN) continue;
    at = endOfScan(file, end);
    chunks.push(file.subarray(end, at));
  }
  if (!frame || frame.width === 0 || frame.height === 0) return undefined;
  const { width, height, components: count } = frame;
  // Grayscale, colour or CMYK.
  const components = ([1, 3, 4] as const).find((known) => known === count);
  if (components === undefined) return undefined;
  // Adobe programs write inverted CMYK values.
  const inverted = adobe && components === 4;
  return { ...{ width, height, components, inverted }, chunks: [...chunks, Buffer.from([0xff, END])] };
}

const END = 0xd9;
const SCAN = 0xda;
const COMMENT = 0xfe;
const JFIF = 0xe0;
const ADOBE = 0xee;

// C4, C8 and CC are not frame markers.
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
// Baseline, extended and progressive.
const READABLE_FRAMES = new Set([0xc0, 0xc1, 0xc2]);

function frameOf(marker: number, segment: Buffer) {
  if (!READABLE_FRAMES.has(marker) || segment.length < 10 || segment[4] !== 8) return undefined;
  return { height: segment.readUInt16BE(5), width: segment.readUInt16BE(7), components: segment[9]! };
}

/** Of the application segments, keeps JFIF (without thumbnail) and Adobe, which define the colours. */
function filterSegment(marker: number, segment: Buffer): Buffer | undefined {
  if (marker === JFIF && segment.toString('latin1', 4, 9) === 'JFIF\0' && segment.length >= 18) {
    const bare = Buffer.from(segment.subarray(0, 18));
    bare.writeUInt16BE(16, 2);
    bare.fill(0, 16);
    return bare;
  }
  if (marker === ADOBE && segment.toString('latin1', 4, 9) === 'Adobe') return segment;
  const isMetadata = (marker >= 0xe0 && marker <= 0xef) || marker === COMMENT;
  return isMetadata ? undefined : segment;
}

/** The next marker other than stuffing (FF 00) and restart markers. */
function endOfScan(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1];
    if (next === undefined) break;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return file.length;
}
