import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  concatenate,
  isSame,
  join16k,
  noise,
  scratch,
  tones,
  VOICES,
  voiceBytes,
  voicePath,
  type WavOptions,
  wav,
} from '../../../test/support/audio/recordings.ts';
import { requireTool } from '../../../test/support/require.ts';
import { AudioError, openAudio } from './open-audio.ts';

const { signal } = new AbortController();
const limits = { signal, maxSeconds: 60 };
let files: Awaited<ReturnType<typeof scratch>>;
beforeAll(async () => {
  files = await scratch();
});
afterAll(() => files.remove());

const DECODERS = ['wasm', 'ffmpeg'] as const;
type Decoder = (typeof DECODERS)[number];

async function decodeFile(path: string, options: { decoder: Decoder; maxSeconds?: number; fromSeconds?: number }) {
  const { fromSeconds = 0, ...others } = options;
  const audio = await openAudio(path, { ...limits, ...others });
  return { audio, samples: await join16k(audio.pieces({ fromSeconds, signal })) };
}
async function problemOf(bytes: Uint8Array, decoder: Decoder, maxSeconds = 60) {
  const path = await files.write(`${Math.random()}`, bytes);
  const error = await decodeFile(path, { decoder, maxSeconds }).then(
    ({ samples }) => `decoded ${samples.length} samples`,
    (reason: unknown) => reason,
  );
  return error instanceof AudioError ? error.problem : error;
}

/** Highest normalized cross-correlation for lags up to 60 ms. */
function correlation(a: Float32Array, b: Float32Array): number {
  let best = 0;
  for (let lag = -960; lag <= 960; lag++) {
    let [product, ours, theirs] = [0, 0, 0];
    for (let i = 1000; i < Math.min(a.length, b.length) - 2000; i += 11) {
      const [x, y] = [a[i]!, b[i + lag] ?? 0];
      product += x * y;
      ours += x * x;
      theirs += y * y;
    }
    best = Math.max(best, product / Math.sqrt(ours * theirs));
  }
  return best;
}
const loudness = (samples: Float32Array) =>
  Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);

describe('openAudio in every format', () => {
  test.each(VOICES)('decodes %s without ffmpeg', async (voice) => {
    const { audio, samples } = await decodeFile(voicePath(voice), { decoder: 'wasm' });
    const { samples: original } = await decodeFile(voicePath('flac'), { decoder: 'wasm' });
    expect(audio.format).toBe(voice);
    expect(Math.abs(audio.durationSeconds! - 4.315)).toBeLessThan(voice === 'amr' || voice === 'aac' ? 0.5 : 0.1);
    expect(Math.abs(samples.length / 16_000 - 4.315)).toBeLessThan(0.1);
    expect(Math.abs(20 * Math.log10(loudness(samples) / loudness(original)))).toBeLessThan(1.5);
    expect(correlation(original, samples)).toBeGreaterThan(voice === 'amr' ? 0.7 : 0.95);
  });

  test.for(VOICES)('decodes %s with ffmpeg and WebAssembly to the same audio', async (voice, context) => {
    requireTool('ffmpeg', context);
    const ours = await decodeFile(voicePath(voice), { decoder: 'wasm' });
    const theirs = await decodeFile(voicePath(voice), { decoder: 'ffmpeg' });
    expect(theirs.audio.durationSeconds).toBe(ours.audio.durationSeconds);
    expect(Math.abs(theirs.samples.length - ours.samples.length) / 16_000).toBeLessThan(voice === 'amr' ? 0.3 : 0.1);
    expect(Math.abs(20 * Math.log10(loudness(theirs.samples) / loudness(ours.samples)))).toBeLessThan(0.7);
    expect(correlation(ours.samples, theirs.samples)).toBeGreaterThan(voice === 'amr' ? 0.9 : 0.95);
  });
});

describe('openAudio with WAV files', () => {
  const kinds: [string, WavOptions][] = [
    ...[8000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000].map((rate): [string, WavOptions] => [
      `${rate}/s`,
      { rate },
    ]),
    ['stereo', { channels: 2 }],
    ['8 bits', { bits: 8 }],
    ['24 bits', { bits: 24 }],
    ['24 bits, stereo, 96000/s', { bits: 24, channels: 2, rate: 96_000 }],
    ['32 bits', { bits: 32 }],
    ['32 bits, floating point', { bits: 32, float: true }],
    ['32 bits, floating point, stereo', { bits: 32, float: true, channels: 2 }],
    ['a declared length of 0', { claims: { size: 0 } }],
    ['a declared length of 4 GiB', { claims: { size: 0xffffffff } }],
    ['a declared length of 2 GiB', { claims: { size: 0x7ffff000 } }],
  ];
  test.for(kinds.flatMap((kind) => DECODERS.map((decoder) => [decoder, ...kind] as const)))(
    'decodes with %s: %s',
    async ([decoder, , options], context) => {
      if (decoder === 'ffmpeg') requireTool('ffmpeg', context);
      const rate = options.rate ?? 16_000;
      const path = await files.write('sound.wav', wav(tones(1, rate), options));
      const { audio, samples } = await decodeFile(path, { decoder });
      expect(audio.durationSeconds).toBeCloseTo(1, 3);
      expect(Math.abs(samples.length - 16_000)).toBeLessThan(16);
      const right = tones(1, 16_000);
      const inner = samples.subarray(500, 15_500);
      expect(Math.max(...inner.map((value, i) => Math.abs(value - right[i + 500]!)))).toBeLessThan(0.03);
    },
  );
});

describe.each(DECODERS)('openAudio with %s', (decoder) => {
  const cases = (title: string, run: () => Promise<void>) =>
    test(title, async (context) => {
      if (decoder === 'ffmpeg') requireTool('ffmpeg', context);
      await run();
    });

  cases('detects the format by content, not by file name', async () => {
    const path = await files.write('voice.wav', voiceBytes('mp3'));
    expect((await decodeFile(path, { decoder })).audio.format).toBe('mp3');
  });

  cases('returns the same samples when starting in the middle', async () => {
    for (const voice of ['mp3', 'm4a', 'opus'] as const) {
      const { samples } = await decodeFile(voicePath(voice), { decoder });
      const later = await decodeFile(voicePath(voice), { decoder, fromSeconds: 2.5 });
      expect(isSame(later.samples, samples.subarray(40_000))).toBe(true);
    }
  });

  cases('decodes two channels of opposite phase as one channel, also when starting in the middle', async () => {
    const decoded = async (gains: readonly number[], fromSeconds = 0) => {
      const path = await files.write('phase', wav(tones(2.3, 48_000), { rate: 48_000, channels: gains.length, gains }));
      return (await decodeFile(path, { decoder, fromSeconds })).samples;
    };
    const single = await decoded([1]);
    const opposite = await decoded([1, -0.99]);
    expect(opposite).toHaveLength(single.length);
    expect(Math.max(...opposite.map((value, i) => Math.abs(value - single[i]!)))).toBeLessThan(0.01);
    expect(isSame(await decoded([1, -0.99], 1.2), opposite.subarray(19_200))).toBe(true);
    // A weaker channel of opposite phase does not cancel: the mean remains.
    const mean = await decoded([1, -0.7]);
    expect(Math.max(...mean.map((value, i) => Math.abs(value - single[i]! * 0.15)))).toBeLessThan(0.01);
  });

  cases('mixes floating-point samples of six channels as it mixes integers', async () => {
    const gains = [0, 0, 1, 0, 0, 0];
    const decoded = async (options: WavOptions) => {
      const path = await files.write('six', wav(tones(1, 16_000), { channels: 6, gains, ...options }));
      return (await decodeFile(path, { decoder })).samples;
    };
    const [float, integer] = [await decoded({ bits: 32, float: true }), await decoded({ bits: 16 })];
    expect(Math.max(...float)).toBeGreaterThan(0.01);
    expect(Math.max(...float.map((value, i) => Math.abs(value - integer[i]!)))).toBeLessThan(0.001);
  });

  cases('decodes samples that are no numbers as silence', async () => {
    const sound = tones(2, 44_100);
    const invalid = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e30];
    const broken = sound.map((value, i) => (i % 4410 === 0 ? invalid[(i / 4410) % 4]! : value));
    const decoded = async (samples: Float32Array) => {
      const options: WavOptions = { rate: 44_100, channels: 2, bits: 32, float: true };
      return (await decodeFile(await files.write('float', wav(samples, options)), { decoder })).samples;
    };
    const expected = await decoded(sound.map((value, i) => (i % 4410 === 0 ? 0 : value)));
    expect(isSame(await decoded(broken), expected)).toBe(true);
    expect((await decoded(new Float32Array(44_100).fill(Number.NaN))).every((value) => value === 0)).toBe(true);
    expect(Math.max(...(await decoded(sound.map((value) => value * 1000))).map(Math.abs))).toBeLessThanOrEqual(1);
  });

  cases('skips tags before the audio', async () => {
    const tag = Buffer.concat([Buffer.from('ID3\x04\0\0\0\x01\0\0', 'latin1'), Buffer.alloc(16_384)]);
    for (const voice of ['mp3', 'flac', 'aac'] as const) {
      const path = await files.write('tagged', Buffer.concat([tag, voiceBytes(voice)]));
      const { audio, samples } = await decodeFile(path, { decoder });
      expect(audio.format).toBe(voice);
      expect(Math.abs(samples.length / 16_000 - 4.315)).toBeLessThan(0.12);
    }
  });

  cases('decodes a file without a declared duration to its end', async () => {
    const path = await files.write('live', withoutDuration(voiceBytes('webm')));
    const { audio, samples } = await decodeFile(path, { decoder });
    expect(audio.durationSeconds).toBeCloseTo(4.3, 1);
    expect(samples.length / 16_000).toBeCloseTo(4.315, 1);
  });

  cases('decodes an MP4 to the same samples with its index first or last', async () => {
    expect(voiceBytes('m4a').indexOf('moov')).toBeGreaterThan(voiceBytes('m4a').indexOf('mdat'));
    const path = await files.write('first', indexFirst(voiceBytes('m4a')));
    const [moved, original] = [await decodeFile(path, { decoder }), await decodeFile(voicePath('m4a'), { decoder })];
    expect(isSame(moved.samples, original.samples)).toBe(true);
  });

  cases('reports a truncated file as corrupt if its format declares a duration', async () => {
    for (const voice of ['flac', 'm4a', 'mp4', 'ogg', 'opus', 'webm', 'mp3'] as const) {
      const whole = voiceBytes(voice);
      const problem = await problemOf(whole.subarray(0, whole.length * 0.6), decoder);
      expect([voice, problem]).toEqual([voice, 'corrupt']);
    }
    const sound = wav(tones(5, 16_000));
    expect(await problemOf(sound.subarray(0, 100_000), decoder)).toBe('corrupt');
  });

  cases('decodes the remainder of a truncated file in a format without a declared duration', async () => {
    for (const voice of ['aac', 'amr'] as const) {
      const whole = voiceBytes(voice);
      const { samples } = await decodeFile(await files.write('part', whole.subarray(0, whole.length * 0.6)), {
        decoder,
      });
      expect(samples.length / 16_000).toBeGreaterThan(2);
    }
  });

  cases('reports a header without audio as corrupt', async () => {
    expect(await problemOf(wav([]), decoder)).toBe('corrupt');
    expect(await problemOf(wav([], { claims: { size: 0xffffffff } }), decoder)).toBe('corrupt');
    expect(await problemOf(wav(tones(5, 16_000)).subarray(0, 44), decoder)).toBe('corrupt');
    for (const [voice, bytes] of [
      ['flac', 200],
      ['m4a', 60],
      ['mp4', 900],
      ['ogg', 100],
      ['webm', 300],
      ['amr', 6],
    ] as const) {
      expect([voice, await problemOf(voiceBytes(voice).subarray(0, bytes), decoder)]).toEqual([voice, 'corrupt']);
    }
    expect(
      await problemOf(Buffer.concat([Buffer.from('ID3\x04\0\0\0\x01\0\0', 'latin1'), Buffer.alloc(16_384)]), decoder),
    ).toBe('corrupt');
    expect(await problemOf(Buffer.alloc(0), decoder)).toBe('corrupt');
  });

  cases('reports implausible sample rates and channel counts as corrupt', async () => {
    const sound = tones(0.1, 16_000);
    const claims: WavOptions['claims'][] = [
      { rate: 0 },
      { rate: 10_000_000 },
      { channels: 255, block: 510 },
      { channels: 0 },
    ];
    for (const claim of [...claims, { bits: 0 }, { block: 0 }]) {
      expect([claim, await problemOf(wav(sound, { claims: claim! }), decoder)]).toEqual([claim, 'corrupt']);
    }
    const flac = Buffer.from(voiceBytes('flac'));
    flac.fill(0, 18, 21);
    expect(await problemOf(flac, decoder)).toBe('corrupt');
  });

  cases('reports an unknown codec as unsupported', async () => {
    expect(await problemOf(wav(tones(0.1, 16_000), { claims: { tag: 0x7777 } }), decoder)).toBe('unsupported');
  });

  cases('reports audio under DRM as protected', async () => {
    for (const lock of ['drms', 'enca']) {
      const locked = Buffer.from(voiceBytes('m4a'));
      locked.write(lock, locked.indexOf('stsd') + 16, 'latin1');
      expect(await problemOf(locked, decoder)).toBe('protected');
    }
  });

  cases('reports a video without audio as no_sound', async () => {
    // Relabels the audio track as subtitles.
    const mute = Buffer.from(voiceBytes('mp4'));
    mute.write('subt', mute.indexOf('soun'), 'latin1');
    expect(await problemOf(mute, decoder)).toBe('no_sound');
    const webm = Buffer.from(voiceBytes('webm'));
    const type = webm.indexOf(Buffer.from([0x83, 0x81, 2]));
    webm[type + 2] = 1;
    expect(await problemOf(webm, decoder)).toBe('no_sound');
  });

  cases('rejects a recording above the limit by its header or during decoding', async () => {
    expect(await problemOf(voiceBytes('m4a'), decoder, 3)).toBe('too_long');
    expect(await problemOf(voiceBytes('aac'), decoder, 3)).toBe('too_long');
    expect(await problemOf(withoutDuration(voiceBytes('webm')), decoder, 3)).toBe('too_long');
    expect(await problemOf(voiceBytes('m4a'), decoder, 5)).toMatch('decoded');
  });

  cases('handles noise inside a recording', async () => {
    for (const voice of VOICES) {
      const bytes = Buffer.from(voiceBytes(voice));
      const start = Math.floor(bytes.length / 4);
      noise(Math.floor(bytes.length / 2), 11).forEach((value, i) => {
        bytes[start + i] = value * 128 + 128;
      });
      expect(String(await problemOf(bytes, decoder))).toMatch(/^(decoded \d+ samples|corrupt|too_long|unsupported)$/);
    }
  });

  cases('stops decoding when the signal aborts and when the consumer stops', async () => {
    const part = tones(10, 16_000);
    const path = await files.write('long', wav(concatenate(...Array.from({ length: 60 }, () => part))));
    const audio = await openAudio(path, { signal, maxSeconds: 3600, decoder });
    const stop = new AbortController();
    const pieces = audio.pieces({ signal: stop.signal })[Symbol.asyncIterator]();
    await pieces.next();
    stop.abort(new Error('cancelled'));
    await expect(
      (async () => {
        for (;;) if ((await pieces.next()).done) return;
      })(),
    ).rejects.toThrow('cancelled');
    for await (const piece of audio.pieces({ signal })) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    if (decoder === 'ffmpeg')
      expect(spawnSync('ps', ['-A', '-o', 'args'], { encoding: 'utf8' }).stdout).not.toContain(path);
  });

  cases('does not block the event loop', async () => {
    const path = await files.write('minute', wav(tones(60, 48_000), { rate: 48_000 }));
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    await decodeFile(path, { decoder, maxSeconds: 100 });
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });
});

test('openAudio rejects the partial output of a killed ffmpeg', async (context) => {
  requireTool('ffmpeg', context);
  const part = tones(10, 16_000);
  const path = await files.write(
    'ended',
    wav(concatenate(...Array.from({ length: 30 }, () => part)), { claims: { size: 0 } }),
  );
  const audio = await openAudio(path, { signal, maxSeconds: 3600, decoder: 'ffmpeg' });
  const pieces = audio.pieces({ signal })[Symbol.asyncIterator]();
  await pieces.next();
  const listed = spawnSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' }).stdout.split('\n');
  const child = listed.find((line) => line.includes(path) && line.includes('ffmpeg'));
  process.kill(Number.parseInt(child!, 10), 'SIGKILL');
  await expect(
    (async () => {
      for (;;) if ((await pieces.next()).done) return;
    })(),
  ).rejects.toThrow('SIGKILL');
});

test('openAudio stops scanning after an implausible number of tags or boxes', async () => {
  const empty = Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1');
  const tagged = (count: number) => Buffer.concat([Buffer.alloc(count * empty.length, empty), voiceBytes('aac')]);
  expect(await problemOf(tagged(20), 'wasm')).toMatch('decoded');
  expect(await problemOf(tagged(5000), 'wasm')).toBe('corrupt');

  const m4a = voiceBytes('m4a');
  const at = m4a.indexOf('moov') - 4;
  const boxed = (count: number) => {
    const free = Buffer.alloc(8 * count, Buffer.from('\0\0\0\x08free', 'latin1'));
    const bytes = Buffer.concat([m4a.subarray(0, at + 8), free, m4a.subarray(at + 8)]);
    bytes.writeUInt32BE(bytes.readUInt32BE(at) + free.length, at);
    return bytes;
  };
  expect(await problemOf(boxed(20), 'wasm')).toMatch('decoded');
  expect(await problemOf(boxed(5000), 'wasm')).toBe('no_sound');
});

describe('openAudio with other files', () => {
  test.each([
    ['text', Buffer.from('just some text, long enough to be looked at '.repeat(100))],
    ['a web page', Buffer.from('<!doctype html><html><body>404</body></html>')],
    ['noise', Buffer.from(noise(50_000, 3).map((value) => value * 128 + 128))],
    ['a playlist with an external address', Buffer.from('#EXTM3U\n#EXTINF:10,\nhttp://127.0.0.1/secret.ts\n')],
    ['a list of other files', Buffer.from('ffconcat version 1.0\nfile /etc/passwd\n')],
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')],
  ])('reports %s as unsupported', async (_, bytes) => {
    for (const decoder of DECODERS) expect(await problemOf(bytes, decoder)).toBe('unsupported');
  });
});

function withoutDuration(webm: Buffer): Buffer {
  const bytes = Buffer.from(webm);
  // Replaces the element with a Void of the same length (id 0xEC).
  const at = bytes.indexOf(Buffer.from([0x44, 0x89, 0x88]));
  bytes.set([0xec, 0x89], at);
  return bytes;
}

function indexFirst(mp4: Buffer): Buffer {
  const at = mp4.indexOf('moov') - 4;
  const size = mp4.readUInt32BE(at);
  const moov = Buffer.from(mp4.subarray(at, at + size));
  const table = moov.indexOf('stco');
  for (let i = 0; i < moov.readUInt32BE(table + 8); i++) {
    const place = table + 12 + 4 * i;
    moov.writeUInt32BE(moov.readUInt32BE(place) + size, place);
  }
  const start = mp4.readUInt32BE(0);
  return Buffer.concat([mp4.subarray(0, start), moov, mp4.subarray(start, at), mp4.subarray(at + size)]);
}

test('openAudio runs ffmpeg in its own process group and rejects its output after SIGINT', async (context) => {
  requireTool('ffmpeg', context);
  const path = await files.write('long', wav(noise(240 * 16_000), { rate: 16_000 }));
  const audio = await openAudio(path, { signal, maxSeconds: 600, decoder: 'ffmpeg' });
  const pieces = audio.pieces({ signal })[Symbol.asyncIterator]();
  await pieces.next();
  const { pid, group } = childNamed('ffmpeg');
  expect(group).toBe(pid);
  process.kill(pid, 'SIGINT');
  const rest = (async () => {
    while (!(await pieces.next()).done);
  })();
  await expect(rest).rejects.toThrow('ffmpeg was killed by a signal.');
});

/** Finds a child process in /proc/PID/stat: `pid (name) state parent group …`. */
function childNamed(name: string): { pid: number; group: number } {
  for (const entry of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const stat = existsSync(`/proc/${entry}/stat`) ? readFileSync(`/proc/${entry}/stat`, 'utf8') : '';
    const [, comm, parent, group] = /\((.*)\) \S (\d+) (\d+)/.exec(stat) ?? [];
    if (comm === name && Number(parent) === process.pid) return { pid: Number(entry), group: Number(group) };
  }
  throw new Error(`No child process ${name}.`);
}
