import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needs } from '../../../base/testing/require.ts';
import { openAudio } from '../open-audio.ts';
import { join16k, voiceBytes, voicePath } from '../testing/recordings.ts';
import { declaredIn } from './mp4-tables.ts';

const { signal } = new AbortController();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-tables-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The voice as ffmpeg writes it with these options, into a file of this name. */
function written(name: string, ...options: string[]): string {
  const path = join(folder, name);
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', voicePath('flac'), ...options, path]);
  return path;
}

describe('what honest programs write is read', () => {
  test.for([
    ['uncompressed', 'plain.mov', ['-c:a', 'pcm_s16le']],
    ['uncompressed, other end first', 'twos.mov', ['-c:a', 'pcm_s16be', '-ac', '2']],
    ['at 96 kHz, in the second version of its description', 'fast.mov', ['-c:a', 'pcm_s24le', '-ar', '96000']],
    ['of floating point', 'float.mov', ['-c:a', 'pcm_f32le']],
    ['in µ-law', 'mulaw.mov', ['-c:a', 'pcm_mulaw', '-ar', '8000']],
    ['in IMA ADPCM', 'ima4.mov', ['-c:a', 'adpcm_ima_qt']],
    ['in ALAC', 'lossless.mov', ['-c:a', 'alac']],
    ['in MP3', 'layer3.mov', ['-c:a', 'libmp3lame']],
    ['with its index first', 'first.mov', ['-c:a', 'pcm_s16le', '-movflags', '+faststart']],
    ['with a clock beside it', 'clock.mov', ['-c:a', 'pcm_s16le', '-timecode', '01:00:00:00']],
    ['in fragments', 'pieces.mp4', ['-c:a', 'aac', '-frag_duration', '500000', '-movflags', 'empty_moov']],
    [
      'in fragments whose samples are alike',
      'alike.mp4',
      ['-c:a', 'pcm_s16le', '-frag_duration', '500000', '-f', 'mov'],
    ],
    ['after a minute of tables', 'long.m4a', ['-c:a', 'aac', '-af', 'aloop=loop=14:size=51780']],
  ] as const)('sound %s', async ([, name, options], context) => {
    needs('ffmpeg', context);
    const audio = await openAudio(written(name, ...options), { signal, maxSeconds: 600, decoder: 'ffmpeg' });
    const seconds = (await join16k(audio.pieces({ signal }))).length / 16_000;
    expect(seconds).toBeGreaterThan(4);
  });

  test('sound behind pictures, and uncompressed sound without ffmpeg', async (context) => {
    needs('ffmpeg', context);
    const pictures = ['-f', 'lavfi', '-i', 'testsrc=d=4:s=64x48', '-c:v', 'mpeg4', '-shortest'];
    for (const [path, decoder] of [
      [written('video.mov', ...pictures, '-c:a', 'pcm_s16le'), 'ffmpeg'],
      [written('plain2.mov', '-c:a', 'pcm_s16le'), 'wasm'],
    ] as const) {
      const audio = await openAudio(path, { signal, maxSeconds: 600, decoder });
      expect((await join16k(audio.pieces({ signal }))).length / 16_000).toBeGreaterThan(3.9);
    }
  });
});

/** A box of this type (ISO/IEC 14496-12 §4.2). */
function box(type: string, ...content: (Buffer | number[])[]): Buffer {
  const body = Buffer.concat(content.map((each) => (Buffer.isBuffer(each) ? each : words(...each))));
  return Buffer.concat([words(8 + body.length), Buffer.from(type, 'latin1'), body]);
}
const words = (...all: number[]) => {
  const bytes = Buffer.alloc(4 * all.length);
  for (const [i, word] of all.entries()) bytes.writeUInt32BE(word, 4 * i);
  return bytes;
};
const declared = (...content: Buffer[]) => {
  const moov = box('moov', ...content);
  return declaredIn(moov, { type: 'moov', from: 8, to: moov.length });
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

describe('the samples that an index declares', () => {
  test('are those of its tables, wherever these stand', () => {
    expect(declared(box('stsz', [0, 0, 2, 5, 5]), box('udta', box('stsz', [0, 7, 3])))).toEqual({
      samples: 5,
      apart: 5,
    });
    expect(declared(box('stz2', [0, 4, 4], Buffer.alloc(2)))).toEqual({ samples: 4, apart: 4 });
    expect(declared(box('traf', box('trun', [0, 900]), box('trun', [0x201, 1, 0, 5])))).toEqual({
      samples: 901,
      apart: 901,
    });
  });

  test('are few where each is a number of sound, and lasts one tick', () => {
    expect(declared(sound([0, 1, 16_000, 1], [0, 1, 16_000]))).toEqual({ samples: 16_000, apart: 100 });
    for (const other of [
      sound([0, 1, 16_000, 2], [0, 1, 16_000]),
      sound([0, 2, 8000, 1, 8000, 1], [0, 1, 16_000]),
      sound([0, 1, 16_000, 1], [0, 1, 16_000], 'vide'),
    ])
      expect(declared(other)).toEqual({ samples: 16_000, apart: 16_000 });
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
  ])('are a lie where a table is longer than its box: %s', (type, content) => {
    expect(() => declared(box(type, content))).toThrow('longer than it is');
    expect(() => declared(box(type, content, [0, 0, 0]))).not.toThrow();
  });
});

describe('a file whose index declares what its bytes cannot be', () => {
  const m4a = voiceBytes('m4a');
  const at = (name: string) => m4a.indexOf(name) + 4;
  const changed = (name: string, ...all: number[]) => {
    const bytes = Buffer.from(m4a);
    words(...all).copy(bytes, at(name));
    return bytes;
  };

  test.each([
    ['four billion samples of one size', changed('stsz', 0, 1, 0xffffffff)],
    ['more samples than it has bytes', changed('stsz', 0, 1, m4a.length + 1)],
    ['a table of four billion sizes', changed('stsz', 0, 0, 0xffffffff)],
    ['a table of four billion times', changed('stts', 0, 0xffffffff)],
    [
      'a fragment of four billion samples',
      Buffer.concat([m4a, box('moof', box('traf', box('trun', [0, 0xffffffff])))]),
    ],
    ['a fragment that is too large', Buffer.concat([m4a, box('moof', Buffer.alloc(2 ** 26))])],
  ])('is refused before it is decoded: %s', async (name, bytes) => {
    const path = join(folder, name.replaceAll(' ', '-'));
    writeFileSync(path, bytes);
    await expect(openAudio(path, { signal, maxSeconds: 60 })).rejects.toMatchObject({ problem: 'corrupt' });
  });
});
