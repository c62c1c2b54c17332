import { AudioError } from '../audio-error.ts';
import { type Header, isTruncated } from '../header.ts';
import type { FileReader } from './file-reader.ts';

/** WebM and Matroska (RFC 9559): reads the elements before the first cluster. */
export async function readWebm(bytes: FileReader): Promise<Header> {
  const head = await bytes.read(0, HEAD_BYTES);
  const segment = [...elementsIn(head, 0, head.length)].find(({ id }) => id === SEGMENT);
  if (!segment) throw new AudioError('corrupt', 'The WebM file ends after its header.');
  const parts = [...before(CLUSTER, elementsIn(head, segment.from, head.length))];
  const listed = parts.find(({ id }) => id === TRACKS);
  if (!listed || listed.from + (listed.size ?? 0) > head.length) {
    throw new AudioError('corrupt', 'The WebM file ends before its track list.');
  }
  const tracks = [...elementsIn(head, listed.from, listed.to)].map((entry) => trackIn(head, entry));
  const sound = tracks.find(isSound);
  if (!sound) throw new AudioError('no_sound', 'The WebM file has no audio track.');
  if (sound.encrypted) throw new AudioError('protected', 'The WebM file is encrypted.');

  const info = parts.find(({ id }) => id === INFO);
  const facts = info ? [...elementsIn(head, info.from, info.to)] : [];
  const [declaredScale, ticks] = [SCALE, DURATION].map((wanted) => facts.find(({ id }) => id === wanted));
  const scale = declaredScale ? integer(head, declaredScale.from, declaredScale.to) / 1e9 : DEFAULT_SCALE;
  const seconds = ticks ? float(head, ticks.from, ticks.to) * scale : 0;
  const declared = segment.size === undefined ? 0 : segment.from + segment.size;
  if (declared > bytes.size && isTruncated((bytes.size / declared) * (seconds || 60), seconds || 60)) {
    throw new AudioError('corrupt', 'The WebM file is shorter than its header declares.');
  }
  const { sampleRate, channels } = sound;
  // The declared duration is that of the longest track, video included.
  if (seconds > 0) return { sampleRate, channels, duration: { seconds, isExact: tracks.every(isSound) } };
  const until = scale * lastTicks(await bytes.read(Math.max(0, bytes.size - TAIL_BYTES), TAIL_BYTES));
  return { sampleRate, channels, ...(until > 0 && { duration: { seconds: until, isExact: false } }) };
}

function* before(id: number, elements: Iterable<Element>): Generator<Element> {
  for (const element of elements) {
    if (element.id === id) return;
    yield element;
  }
}

function lastTicks(tail: Buffer): number {
  const at = tail.lastIndexOf(Buffer.from([0x1f, 0x43, 0xb6, 0x75]));
  const [cluster] = at < 0 ? [] : elementsIn(tail, at, tail.length);
  let [clusterTime, last] = [0, 0];
  for (const { id, from, to } of cluster ? elementsIn(tail, cluster.from, cluster.to) : []) {
    if (id === CLUSTER_TIME) clusterTime = integer(tail, from, to);
    // A block starts with a one-byte track number and a time relative to the cluster.
    if (id === BLOCK && to - from > 3) last = Math.max(last, clusterTime + tail.readInt16BE(from + 1));
  }
  return last;
}

const HEAD_BYTES = 2 ** 21;
const TAIL_BYTES = 2 ** 19;
/** One millisecond (RFC 9559 default). */
const DEFAULT_SCALE = 0.001;
const [SEGMENT, CLUSTER, INFO, TRACKS] = [0x18538067, 0x1f43b675, 0x1549a966, 0x1654ae6b];
const [SCALE, DURATION] = [0x2ad7b1, 0x4489];
const [CLUSTER_TIME, BLOCK] = [0xe7, 0xa3];
const [TRACK_TYPE, AUDIO_SETTINGS, RATE, CHANNELS] = [0x83, 0xe1, 0xb5, 0x9f];
const [ENCODINGS, ENCODING, ENCRYPTION] = [0x6d80, 0x6240, 0x5035];
const AUDIO = 2;
const isSound = ({ type }: Track) => type === AUDIO;

interface Element {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly size: number | undefined;
}

function* elementsIn(bytes: Buffer, start: number, end: number): Generator<Element> {
  for (let at = start; at < end; ) {
    const id = vint(bytes, at, 4);
    const size = id && vint(bytes, at + id.length, 8);
    if (!id || !size) return;
    const from = at + id.length + size.length;
    const open = size.value === 2 ** (7 * size.length) - 1;
    const to = open ? end : Math.min(end, from + size.value);
    yield { id: id.value + 2 ** (7 * id.length), from, to, size: open ? undefined : size.value };
    // An element of unknown size is entered, not skipped.
    at = open ? end : from + size.value;
  }
}

/** Variable-length integer without its marker bit; leading zeros of the first byte give its length. */
function vint(bytes: Buffer, at: number, maxBytes: number): { value: number; length: number } | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  const length = Math.clz32(first) - 24 + 1;
  if (length > maxBytes || at + length > bytes.length) return undefined;
  let value = first & (0xff >> length);
  for (let i = 1; i < length; i++) value = value * 256 + bytes[at + i]!;
  return { value, length };
}

interface Track {
  readonly type: number;
  readonly sampleRate: number;
  readonly channels: number;
  readonly encrypted: boolean;
}

function trackIn(bytes: Buffer, entry: Element): Track {
  let type = 0;
  let sampleRate = 8000;
  let channels = 1;
  let encrypted = false;
  for (const { id, from, to } of elementsIn(bytes, entry.from, entry.to)) {
    if (id === TRACK_TYPE) type = integer(bytes, from, to);
    if (id === AUDIO_SETTINGS) {
      for (const setting of elementsIn(bytes, from, to)) {
        if (setting.id === RATE) sampleRate = float(bytes, setting.from, setting.to);
        if (setting.id === CHANNELS) channels = integer(bytes, setting.from, setting.to);
      }
    }
    if (id === ENCODINGS) {
      const encodings = [...elementsIn(bytes, from, to)].filter((inner) => inner.id === ENCODING);
      const parts = encodings.flatMap((inner) => [...elementsIn(bytes, inner.from, inner.to)]);
      encrypted = parts.some((part) => part.id === ENCRYPTION);
    }
  }
  return { type, sampleRate, channels, encrypted };
}

function integer(bytes: Buffer, from: number, to: number): number {
  return bytes.subarray(from, to).reduce((value, byte) => value * 256 + byte, 0);
}

function float(bytes: Buffer, from: number, to: number): number {
  if (to - from === 4) return bytes.readFloatBE(from);
  return to - from === 8 ? bytes.readDoubleBE(from) : 0;
}
