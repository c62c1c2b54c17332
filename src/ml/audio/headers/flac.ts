import { AudioError } from '../audio-error.ts';
import type { Header } from '../header.ts';
import type { FileReader } from './file-reader.ts';

/** FLAC (RFC 9639): reads the STREAMINFO block. */
export async function readFlac(bytes: FileReader, skip: number): Promise<Header> {
  const head = await bytes.read(skip, 42);
  if (head.length < 42 || (head[4]! & 0x7f) !== 0) throw new AudioError('corrupt', 'The FLAC file has no header.');
  const fields = head.readBigUInt64BE(18);
  const sampleRate = Number(fields >> 44n);
  const channels = Number((fields >> 41n) & 7n) + 1;
  const samples = Number(fields & 0xfffffffffn);
  return {
    sampleRate,
    channels,
    skip,
    ...(samples > 0 && sampleRate > 0 && { duration: { seconds: samples / sampleRate, isExact: true } }),
  };
}
