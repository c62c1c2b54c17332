import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { join16k, voiceBytes, voicePath } from '../../../../test/support/audio/recordings.ts';
import { requireTool } from '../../../../test/support/require.ts';
import { openAudio } from '../open-audio.ts';
import { countDeclaredSamples, type SampleCounts } from './mp4-tables.ts';

const { signal } = new AbortController();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-tables-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function encode(name: string, ...options: string[]): string {
  const path = join(folder, name);
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', voicePath('flac'), ...options, path]);
  return path;
}

describe('openAudio with valid QuickTime and MP4 files', () => {
  test.for([
    ['uncompressed audio', 'plain.mov', ['-c:a', 'pcm_s16le']],
    ['uncompressed big-endian audio', 'twos.mov', ['-c:a', 'pcm_s16be', '-ac', '2']],
    ['96 kHz audio in a version 2 sample entry', 'fast.mov', ['-c:a', 'pcm_s24le', '-ar', '96000']],
    ['floating-point audio', 'float.mov', ['-c:a', 'pcm_f32le']],
    ['µ-law audio', 'mulaw.mov', ['-c:a', 'pcm_mulaw', '-ar', '8000']],
    ['IMA ADPCM audio', 'ima4.mov', ['-c:a', 'adpcm_ima_qt']],
    ['ALAC audio', 'lossless.mov', ['-c:a', 'alac']],
    ['MP3 audio', 'layer3.mov', ['-c:a', 'libmp3lame']],
    ['audio after its index', 'first.mov', ['-c:a', 'pcm_s16le', '-movflags', '+faststart']],
    ['audio with a timecode track', 'clock.mov', ['-c:a', 'pcm_s16le', '-timecode', '01:00:00:00']],
    ['fragmented audio', 'pieces.mp4', ['-c:a', 'aac', '-frag_duration', '500000', '-movflags', 'empty_moov']],
    [
      'fragmented audio with equal samples',
      'alike.mp4',
      ['-c:a', 'pcm_s16le', '-frag_duration', '500000', '-f', 'mov'],
    ],
    ['a minute of audio with large tables', 'long.m4a', ['-c:a', 'aac', '-af', 'aloop=loop=14:size=51780']],
  ] as const)('decodes %s', { tags: ['full'] }, async ([, name, options], context) => {
    requireTool('ffmpeg', context);
    const audio = await openAudio(encode(name, ...options), { signal, maxSeconds: 600, decoder: 'ffmpeg' });
    const seconds = (await join16k(audio.pieces({ signal }))).length / 16_000;
    expect(seconds).toBeGreaterThan(4);
  });

  test('decodes audio with a video track, and uncompressed audio without ffmpeg', async (context) => {
    requireTool('ffmpeg', context);
    const pictures = ['-f', 'lavfi', '-i', 'testsrc=d=4:s=64x48', '-c:v', 'mpeg4', '-shortest'];
    for (const [path, decoder] of [
      [encode('video.mov', ...pictures, '-c:a', 'pcm_s16le'), 'ffmpeg'],
      [encode('plain2.mov', '-c:a', 'pcm_s16le'), 'wasm'],
    ] as const) {
      const audio = await openAudio(path, { signal, maxSeconds: 600, decoder });
      expect((await join16k(audio.pieces({ signal }))).length / 16_000).toBeGreaterThan(3.9);
    }
  });
});

function box(type: string, ...content: (Buffer | number[])[]): Buffer {
  const body = Buffer.concat(content.map((each) => (Buffer.isBuffer(each) ? each : words(...each))));
  return Buffer.concat([words(8 + body.length), Buffer.from(type, 'latin1'), body]);
}
const words = (...all: number[]) => {
  const bytes = Buffer.alloc(4 * all.length);
  for (const [i, word] of all.entries()) bytes.writeUInt32BE(word, 4 * i);
  return bytes;
};
const counts = (samples: number, apart = samples): SampleCounts => ({ samples, allocated: apart });
const declared = (...content: Buffer[]) => {
  const moov = box('moov', ...content);
  return countDeclaredSamples(moov, { type: 'moov', from: 8, to: moov.length });
};
const sound = (stts: number[], stsz: number[], handler = 'soun') =>
  box(
    'trak',
    box(
      'mdia',
      box('hdlr', [0, 0], Buffer.from(`${handler}\0\0\0\0`)),
      box('minf', box('stbl', box('stts', stts), box('stsz', stsz))),
    ),
  );

describe('countDeclaredSamples', () => {
  test('adds up the tables of an index at any position', () => {
    expect(declared(box('stsz', [0, 0, 2, 5, 5]), box('udta', box('stsz', [0, 7, 3])))).toEqual(counts(5));
    expect(declared(box('stz2', [0, 4, 4], Buffer.alloc(2)))).toEqual(counts(4));
    expect(declared(box('traf', box('trun', [0, 900]), box('trun', [0x201, 1, 0, 5])))).toEqual(counts(901));
  });

  test('counts uncompressed audio in chunks if each sample lasts one tick', () => {
    expect(declared(sound([0, 1, 16_000, 1], [0, 1, 16_000]))).toEqual(counts(16_000, 100));
    for (const other of [
      sound([0, 1, 16_000, 2], [0, 1, 16_000]),
      sound([0, 2, 8000, 1, 8000, 1], [0, 1, 16_000]),
      sound([0, 1, 16_000, 1], [0, 1, 16_000], 'vide'),
    ])
      expect(declared(other)).toEqual(counts(16_000));
  });

  test.each([
    ['stsz', [0, 0, 3, 1, 2]],
    ['stz2', [0, 16, 3, 0]],
    ['stts', [0, 2, 1, 1]],
    ['ctts', [0, 2, 1, 1]],
    ['stsc', [0, 2, 1, 1, 1]],
    ['stss', [0, 2, 1]],
    ['stco', [0, 2, 1]],
    ['co64', [0, 2, 0, 1]],
    ['trun', [0x200, 2, 1]],
    ['trun', [0xf05, 1, 1, 1, 1, 1, 1]],
  ])('rejects a %s table that is longer than its box', (type, content) => {
    expect(() => declared(box(type, content))).toThrow('more entries than it holds');
    expect(() => declared(box(type, content, [0, 0, 0]))).not.toThrow();
  });
});

describe('openAudio with an implausible index', () => {
  const m4a = voiceBytes('m4a');
  const at = (name: string) => m4a.indexOf(name) + 4;
  const changed = (name: string, ...all: number[]) => {
    const bytes = Buffer.from(m4a);
    words(...all).copy(bytes, at(name));
    return bytes;
  };

  test.each([
    ['four billion equal samples', changed('stsz', 0, 1, 0xffffffff)],
    ['more samples than bytes in the file', changed('stsz', 0, 1, m4a.length + 1)],
    ['a table of four billion sizes', changed('stsz', 0, 0, 0xffffffff)],
    ['a table of four billion durations', changed('stts', 0, 0xffffffff)],
    [
      'a fragment of four billion samples',
      Buffer.concat([m4a, box('moof', box('traf', box('trun', [0, 0xffffffff])))]),
    ],
    ['an oversized fragment', Buffer.concat([m4a, box('moof', Buffer.alloc(2 ** 26))])],
  ])('rejects %s without decoding', async (name, bytes) => {
    const path = join(folder, name.replaceAll(' ', '-'));
    writeFileSync(path, bytes);
    await expect(openAudio(path, { signal, maxSeconds: 60 })).rejects.toMatchObject({ problem: 'corrupt' });
  });
});
