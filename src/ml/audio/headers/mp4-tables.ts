import { type Box, boxContent, readBoxes } from '../../iso-boxes.ts';
import { AudioError } from '../audio-error.ts';

export interface SampleCounts {
  readonly samples: number;
  /** Entries that a reader allocates; {@link isChunked chunked} audio is read in chunks. */
  readonly allocated: number;
}

/**
 * Counts the samples that an index (`moov`) or a fragment (`moof`) declares. Readers allocate memory for them up front,
 * and four bytes can declare four billion. Throws `AudioError` for a table longer than its box.
 */
export function countDeclaredSamples(bytes: Buffer, box: Box, depth = 0): SampleCounts {
  let [samples, apart] = [0, 0];
  for (const each of depth > MAX_DEPTH ? [] : readBoxes(bytes, box.from, box.to)) {
    const more = CONTAINERS.has(each.type)
      ? countDeclaredSamples(bytes, each, depth + 1)
      : sameCount(declaredBy(each.type, bytes.subarray(each.from, each.to)));
    samples += more.samples;
    apart += more.allocated;
  }
  return box.type === 'trak' && isChunked(bytes, box)
    ? { samples, allocated: samples / SAMPLES_PER_CHUNK }
    : { samples, allocated: apart };
}

const sameCount = (samples: number): SampleCounts => ({ samples, allocated: samples });

const CONTAINERS = new Set('trak mdia minf stbl edts dinf udta wave gmhd sinf schi mvex traf'.split(' '));
const MAX_DEPTH = 10;

/**
 * Uncompressed QuickTime audio: each sample lasts one tick and has no size of its own. An hour has 200 million samples;
 * readers take them in chunks of at least 160.
 */
function isChunked(bytes: Buffer, trak: Box): boolean {
  const times = boxContent(bytes, trak, 'mdia', 'minf', 'stbl', 'stts');
  const isSound = boxContent(bytes, trak, 'mdia', 'hdlr')?.toString('latin1', 8, 12) === 'soun';
  return isSound && times?.length === 16 && times.readUInt32BE(4) === 1 && times.readUInt32BE(12) === 1;
}
const SAMPLES_PER_CHUNK = 160;

/** Entry size in bytes of tables whose count follows version and flags (ISO/IEC 14496-12 §8.6, §8.7). */
const ENTRY_BYTES: Readonly<Record<string, number>> = { stts: 8, ctts: 8, stsc: 12, stss: 4, stco: 4, co64: 8 };

function declaredBy(type: string, table: Buffer): number {
  const word = (at: number) => (at + 4 <= table.length ? table.readUInt32BE(at) : 0);
  const checkFits = (entries: number, bits: number, from: number) => {
    if (from * 8 + entries * bits > table.length * 8) throw invalidIndexError();
    return entries;
  };
  const entryBytes = ENTRY_BYTES[type];
  if (entryBytes !== undefined) checkFits(word(4), entryBytes * 8, 8);
  if (type === 'stsz') return word(4) > 0 ? word(8) : checkFits(word(8), 32, 12);
  if (type === 'stz2') return checkFits(word(8), word(4) & 0xff, 12);
  if (type === 'trun')
    return checkFits(word(4), runEntryBits(word(0)), 8 + (word(0) & 1 ? 4 : 0) + (word(0) & 4 ? 4 : 0));
  return 0;
}

/** Bits per entry of a fragment's sample run (§8.8.8): 32 for each per-sample field in its flags. */
const runEntryBits = (flags: number) => 32 * [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length;

export const invalidIndexError = () =>
  new AudioError('corrupt', 'The index of the MP4 file declares more entries than it holds.');
