import { type Frame, firstFrame, frameAt, SNIFFED_BYTES } from '../../../base/sniff-audio.ts';
import { AudioError } from '../audio-error.ts';
import { type Header, isTruncated } from '../header.ts';
import type { FileReader } from './file-reader.ts';

/** MP3, or AAC in ADTS, from the offset `skip`. MP3 files may declare their frame count. */
export async function readMpegAudio(bytes: FileReader, skip: number): Promise<Header> {
  const head = await bytes.read(skip, SNIFFED_BYTES);
  const first = firstFrame(head);
  if (!first) throw new AudioError('corrupt', 'The recording has no audio frames.');
  const { sampleRate, channels, samples } = first.frame;
  const declared = first.frame.kind === 'mp3' ? readDeclaredCounts(head.subarray(first.at), first.frame) : undefined;
  const available = bytes.size - skip - first.at;
  if (!declared) {
    const seconds = available / bytesPerSecond(head, first.at);
    return { duration: { seconds, isExact: false }, sampleRate, channels, skip };
  }
  const seconds = (declared.frames * samples) / sampleRate;
  if (declared.bytes !== undefined && isTruncated((available / declared.bytes) * seconds, seconds)) {
    throw new AudioError('corrupt', 'The MP3 file is shorter than its header declares.');
  }
  return { duration: { seconds, isExact: true }, sampleRate, channels, skip };
}

function readDeclaredCounts(bytes: Buffer, frame: Frame): { frames: number; bytes?: number } | undefined {
  const { xingAt } = frame;
  const name = bytes.toString('latin1', xingAt, xingAt + 4);
  if ((name === 'Xing' || name === 'Info') && bytes.length >= xingAt + 16) {
    const flags = bytes.readUInt32BE(xingAt + 4);
    const frames = flags & 1 ? bytes.readUInt32BE(xingAt + 8) : 0;
    const size = (flags & 3) === 3 ? bytes.readUInt32BE(xingAt + 12) : 0;
    if (frames > 0) return { frames, ...(size > 0 && { bytes: size }) };
  }
  if (bytes.toString('latin1', 36, 40) === 'VBRI' && bytes.length >= 54) {
    const [size, frames] = [bytes.readUInt32BE(46), bytes.readUInt32BE(50)];
    if (frames > 0) return { frames, ...(size > 0 && { bytes: size }) };
  }
  return undefined;
}

function bytesPerSecond(head: Buffer, from: number): number {
  let seconds = 0;
  let at = from;
  for (let frame = frameAt(head, at); frame; frame = frameAt(head, at)) {
    at += frame.bytes;
    seconds += frame.samples / frame.sampleRate;
  }
  return (at - from) / seconds;
}
