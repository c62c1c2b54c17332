import { type Header, isCutOff } from '../header.ts';
import { AudioRefused } from '../refused.ts';
import type { Bytes } from './bytes.ts';

/** WebM and Matroska (RFC 9559): what stands before the first cluster of sound. */
export async function readWebm(bytes: Bytes): Promise<Header> {
  const head = await bytes.read(0, HEAD_BYTES);
  const segment = [...elementsIn(head, 0, head.length)].find(({ id }) => id === SEGMENT);
  if (!segment) throw new AudioRefused('corrupt', 'The WebM file ends with its header.');
  let scale = 1_000_000;
  let ticks = 0;
  let tracks: Track[] | undefined;
  for (const element of elementsIn(head, segment.from, head.length)) {
    if (element.id === CLUSTER) break;
    if (element.id === INFO) {
      for (const { id, from, to } of elementsIn(head, element.from, element.to)) {
        if (id === SCALE) scale = integer(head, from, to);
        if (id === DURATION) ticks = float(head, from, to);
      }
    }
    if (element.id === TRACKS) tracks = [...elementsIn(head, element.from, element.to)].map((entry) => track(head, entry));
  }
  if (!tracks) throw new AudioRefused('corrupt', 'The WebM file names no tracks.');
  const sound = tracks.find(({ type }) => type === AUDIO);
  if (!sound) throw new AudioRefused('no_sound', 'The WebM file has no track of sound.');
  if (sound.encrypted) throw new AudioRefused('protected', 'The WebM file is encrypted.');

  const seconds = (ticks * scale) / 1e9;
  const declared = segment.size === undefined ? 0 : segment.from + segment.size;
  if (declared > bytes.size && isCutOff((bytes.size / declared) * (seconds || 60), seconds || 60)) {
    throw new AudioRefused('corrupt', 'The WebM file is shorter than it says.');
  }
  const { sampleRate, channels } = sound;
  // What a browser records says no length. The length that is said is the longest track's, pictures included.
  const counted = tracks.every(({ type }) => type === AUDIO);
  return { sampleRate, channels, ...(seconds > 0 && { duration: { seconds, counted } }) };
}

const HEAD_BYTES = 2 ** 21;
const [SEGMENT, CLUSTER, INFO, TRACKS] = [0x18538067, 0x1f43b675, 0x1549a966, 0x1654ae6b];
const [SCALE, DURATION] = [0x2ad7b1, 0x4489];
const [TRACK_TYPE, AUDIO_SETTINGS, RATE, CHANNELS] = [0x83, 0xe1, 0xb5, 0x9f];
const [ENCODINGS, ENCODING, ENCRYPTION] = [0x6d80, 0x6240, 0x5035];
const AUDIO = 2;

interface Element {
  readonly id: number;
  /** Where its content begins, and where it, or what was read of the file, ends. */
  readonly from: number;
  readonly to: number;
  /** Undefined where it goes on until something follows that cannot be a part of it. */
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
    // What holds all the others is looked into, not passed over.
    at = open ? end : from + size.value;
  }
}

/** A number of variable length: the zeros before its first one say how many bytes follow; without that marker. */
function vint(bytes: Buffer, at: number, longest: number): { value: number; length: number } | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  const length = Math.clz32(first) - 24 + 1;
  if (length > longest || at + length > bytes.length) return undefined;
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

function track(bytes: Buffer, entry: Element): Track {
  let described = { type: 0, sampleRate: 8000, channels: 1, encrypted: false };
  for (const { id, from, to } of elementsIn(bytes, entry.from, entry.to)) {
    if (id === TRACK_TYPE) described = { ...described, type: integer(bytes, from, to) };
    if (id === AUDIO_SETTINGS) {
      for (const setting of elementsIn(bytes, from, to)) {
        if (setting.id === RATE) described = { ...described, sampleRate: float(bytes, setting.from, setting.to) };
        if (setting.id === CHANNELS) described = { ...described, channels: integer(bytes, setting.from, setting.to) };
      }
    }
    if (id === ENCODINGS) {
      const encodings = [...elementsIn(bytes, from, to)].filter((inner) => inner.id === ENCODING);
      const parts = encodings.flatMap((inner) => [...elementsIn(bytes, inner.from, inner.to)]);
      described = { ...described, encrypted: parts.some((part) => part.id === ENCRYPTION) };
    }
  }
  return described;
}

function integer(bytes: Buffer, from: number, to: number): number {
  return bytes.subarray(from, to).reduce((value, byte) => value * 256 + byte, 0);
}

function float(bytes: Buffer, from: number, to: number): number {
  if (to - from === 4) return bytes.readFloatBE(from);
  return to - from === 8 ? bytes.readDoubleBE(from) : 0;
}
