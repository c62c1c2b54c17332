import { AudioRefused } from '../refused.ts';
import { type Box, boxesIn, inside } from './boxes.ts';

/** What the tables of an index declare. */
export interface Declared {
  readonly samples: number;
  /** Those that a reader makes room for that takes {@link isChunked chunked} sound by its chunks. */
  readonly apart: number;
}

/**
 * The samples that the tables of an index (`moov`) or of a fragment (`moof`) declare: four bytes declare four billion, and
 * readers begin with room for them. Throws `AudioRefused` for a table that says it is longer than its box.
 */
export function declaredIn(bytes: Buffer, box: Box, depth = 0): Declared {
  let [samples, apart] = [0, 0];
  for (const each of depth > DEEPEST ? [] : boxesIn(bytes, box.from, box.to)) {
    const more = CONTAINERS.has(each.type)
      ? declaredIn(bytes, each, depth + 1)
      : alike(declaredBy(each.type, bytes.subarray(each.from, each.to)));
    samples += more.samples;
    apart += more.apart;
  }
  return box.type === 'trak' && isChunked(bytes, box)
    ? { samples, apart: samples / SAMPLES_TOGETHER }
    : { samples, apart };
}

const alike = (samples: number): Declared => ({ samples, apart: samples });

/** What readers look for tables in, also where they do not belong. */
const CONTAINERS = new Set('trak mdia minf stbl edts dinf udta wave gmhd sinf schi mvex traf'.split(' '));
const DEEPEST = 10;

/**
 * Uncompressed sound, as QuickTime writes it: a sample is a number, each lasts one tick, and none has a size of its own. An
 * hour has two hundred million; readers take them by chunks, of which they make pieces of 160 or more.
 */
function isChunked(bytes: Buffer, trak: Box): boolean {
  const times = inside(bytes, trak, 'mdia', 'minf', 'stbl', 'stts');
  const isSound = inside(bytes, trak, 'mdia', 'hdlr')?.toString('latin1', 8, 12) === 'soun';
  return isSound && times?.length === 16 && times.readUInt32BE(4) === 1 && times.readUInt32BE(12) === 1;
}
const SAMPLES_TOGETHER = 160;

/** Bytes of an entry of a table whose count stands behind its version and flags (ISO/IEC 14496-12 §8.6, §8.7). */
const ENTRY_BYTES: Readonly<Record<string, number>> = { stts: 8, ctts: 8, stsc: 12, stss: 4, stco: 4, co64: 8 };

/** The samples that this box declares itself. */
function declaredBy(type: string, table: Buffer): number {
  const word = (at: number) => (at + 4 <= table.length ? table.readUInt32BE(at) : 0);
  const holds = (entries: number, bits: number, from: number) => {
    if (from * 8 + entries * bits > table.length * 8) throw lying();
    return entries;
  };
  const entryBytes = ENTRY_BYTES[type];
  if (entryBytes !== undefined) holds(word(4), entryBytes * 8, 8);
  // Where all samples have one size there is no table.
  if (type === 'stsz') return word(4) > 0 ? word(8) : holds(word(8), 32, 12);
  if (type === 'stz2') return holds(word(8), word(4) & 0xff, 12);
  if (type === 'trun') return holds(word(4), runEntryBits(word(0)), 8 + (word(0) & 1 ? 4 : 0) + (word(0) & 4 ? 4 : 0));
  return 0;
}

/** Of a run of samples in a fragment (§8.8.8): what its flags say is said of each; none of it where all are alike. */
const runEntryBits = (flags: number) => 32 * [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length;

export const lying = () => new AudioRefused('corrupt', 'The index of the MP4 file says that it is longer than it is.');
