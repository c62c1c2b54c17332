import { type Header, isCutOff } from '../header.ts';
import { AudioRefused } from '../refused.ts';
import type { Bytes } from './bytes.ts';

/** RIFF WAVE, and RF64 (EBU Tech 3306) for what outgrows 4 GiB. */
export async function readWav(bytes: Bytes): Promise<Header> {
  let format: Format | undefined;
  let long: number | undefined;
  let at = 12;
  for (let chunks = 0; chunks < MOST_CHUNKS; chunks++) {
    const head = await bytes.read(at, 8 + 40);
    if (head.length < 8) break;
    const [id, size] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)];
    if (id === 'fmt ') format = formatOf(head);
    if (id === 'ds64' && head.length >= 24) long = Number(head.readBigUInt64LE(16));
    if (id === 'data') return sound(at + 8, long !== undefined && size === UNKNOWN ? long : size);
    // Chunks are padded to an even length.
    at += 8 + size + (size & 1);
  }
  throw new AudioRefused('corrupt', 'The WAV file has no sound in it.');

  function sound(from: number, declared: number): Header {
    const there = bytes.size - from;
    if (!format || there <= 0) throw new AudioRefused('corrupt', 'The WAV file ends with its header.');
    const { sampleRate, channels, bytesPerSecond, exact } = format;
    if (bytesPerSecond === 0) return { sampleRate, channels };
    const streamed = declared === 0 || (declared >= STREAMED_FROM && declared > there);
    if (!streamed && isCutOff(there / bytesPerSecond, declared / bytesPerSecond)) {
      throw new AudioRefused('corrupt', 'The WAV file is shorter than it says.');
    }
    const seconds = Math.min(streamed ? there : declared, there) / bytesPerSecond;
    return { duration: { seconds, counted: exact }, sampleRate, channels };
  }
}

interface Format {
  readonly channels: number;
  readonly sampleRate: number;
  /** 0 where it is not known. */
  readonly bytesPerSecond: number;
  /** Whether a second always takes so many bytes. */
  readonly exact: boolean;
}

function formatOf(head: Buffer): Format | undefined {
  if (head.length < 24) return undefined;
  const channels = head.readUInt16LE(10);
  const sampleRate = head.readUInt32LE(12);
  const [declared, block, bits] = [head.readUInt32LE(16), head.readUInt16LE(20), head.readUInt16LE(22)];
  const plain = [1, 3, 0xfffe].includes(head.readUInt16LE(8));
  if (plain && (block === 0 || bits === 0 || block * 8 < channels * bits)) {
    throw new AudioRefused('corrupt', 'The WAV file contradicts itself.');
  }
  return { channels, sampleRate, bytesPerSecond: plain ? block * sampleRate : declared, exact: plain };
}

const UNKNOWN = 0xffffffff;
// A program that cannot go back to fill in the length leaves 0, or about 2 or 4 GiB.
const STREAMED_FROM = 0x7fff0000;
const MOST_CHUNKS = 1000;
