import { AudioError } from '../audio-error.ts';
import { type Header, isTruncated } from '../header.ts';
import type { FileReader } from './file-reader.ts';

/** RIFF WAVE, and RF64 (EBU Tech 3306) for files above 4 GiB. */
export async function readWav(bytes: FileReader): Promise<Header> {
  let format: ReturnType<typeof formatOf>;
  let longSize: number | undefined;
  let at = 12;
  for (let chunks = 0; chunks < MAX_CHUNKS; chunks++) {
    const head = await bytes.read(at, 8 + 40);
    if (head.length < 8) break;
    const [id, size] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)];
    if (id === 'fmt ') format = formatOf(head);
    if (id === 'ds64' && head.length >= 24) longSize = Number(head.readBigUInt64LE(16));
    if (id === 'data') return headerFrom(at + 8, longSize !== undefined && size === UNKNOWN_SIZE ? longSize : size);
    // Chunks are padded to an even length.
    at += 8 + size + (size & 1);
  }
  throw new AudioError('corrupt', 'The WAV file has no audio data.');

  function headerFrom(from: number, declared: number): Header {
    const available = bytes.size - from;
    if (!format || available <= 0) throw new AudioError('corrupt', 'The WAV file ends after its header.');
    const { sampleRate, channels, bytesPerSecond, isConstantRate, isFloat } = format;
    if (bytesPerSecond === 0) return { sampleRate, channels, isFloat };
    const streamed = declared === 0 || (declared >= STREAMED_FROM_BYTES && declared > available);
    if (!streamed && isTruncated(available / bytesPerSecond, declared / bytesPerSecond)) {
      throw new AudioError('corrupt', 'The WAV file is shorter than its header declares.');
    }
    const seconds = Math.min(streamed ? available : declared, available) / bytesPerSecond;
    return { duration: { seconds, isExact: isConstantRate }, sampleRate, channels, isFloat };
  }
}

function formatOf(head: Buffer) {
  if (head.length < 24) return undefined;
  const channels = head.readUInt16LE(10);
  const sampleRate = head.readUInt32LE(12);
  const [declared, block, bits] = [head.readUInt32LE(16), head.readUInt16LE(20), head.readUInt16LE(22)];
  const tag = head.readUInt16LE(8);
  const plain = [1, FLOAT, EXTENSIBLE].includes(tag);
  if (plain && (block === 0 || bits === 0 || block * 8 < channels * bits)) {
    throw new AudioError('corrupt', 'The WAV file has a contradictory header.');
  }
  const isFloat = (tag === EXTENSIBLE && head.length >= 34 ? head.readUInt16LE(32) : tag) === FLOAT;
  const bytesPerSecond = plain ? block * sampleRate : declared;
  return { channels, sampleRate, bytesPerSecond, isConstantRate: plain, isFloat };
}

const FLOAT = 3;
/** WAVE_FORMAT_EXTENSIBLE: the subformat begins with the format. */
const EXTENSIBLE = 0xfffe;

const UNKNOWN_SIZE = 0xffffffff;
// Streaming writers that cannot fill in the length leave 0, or about 2 or 4 GiB.
const STREAMED_FROM_BYTES = 0x7fff0000;
const MAX_CHUNKS = 1000;
