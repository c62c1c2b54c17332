// `node bench/stt.mjs engine [--seconds 300] [--runs 3]`: seconds of audio per CPU second of a worker including ffmpeg,
// compared with the recognizer alone.
// `node bench/stt.mjs times [--minutes 30]`: time from request to text for ten seconds and for `minutes` of audio.
// `node bench/stt.mjs memory [--hours 2]`: peak worker memory for a short and a long recording.
// `node bench/stt.mjs speakers DATA [--minutes 5]`: time to text, CPU seconds per second of audio and peak memory for the English
// clips of three speakers, each time at another tempo and after another pause, so that no window repeats. Needs ffmpeg.
// Linux only: reads /proc.
import './help.mjs';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, openBench, option, TOKEN } from './lib.mjs';
import { requirePrograms } from './require-programs.mjs';

const what = process.argv[2];
const runs = { engine, times, memory, speakers };
if (!runs[what]) throw new Error(`node bench/stt.mjs ${Object.keys(runs).join(' | ')}`);
if (what === 'speakers') requirePrograms('ffmpeg');

const bench = await openBench();
Object.assign(bench.env, { STT_PORT: '0', STT_API_TOKENS: TOKEN, STT_RATE_LIMIT_PER_MINUTE: '0' });
try {
  await runs[what]();
} finally {
  await bench.close();
}

async function engine() {
  const seconds = option('seconds', 300);
  const path = await recording(seconds);
  const transcribe = await product();
  const bare = await bench.startBare('bare-stt.mjs', bench.env.STT_MODEL ?? 'whisper-base', bench.dataDir);
  const passes = {
    async bare() {
      bare.child.send({ path, language: 'en' });
      const { cpuSeconds } = await new Promise((resolve) => bare.child.once('message', resolve));
      return seconds / cpuSeconds;
    },
    async product() {
      const before = await cpuSecondsOf(transcribe.worker);
      await transcribe(path);
      return seconds / ((await cpuSecondsOf(transcribe.worker)) - before);
    },
  };
  const short = await recording(10);
  await transcribe(short);
  bare.child.send({ path: short, language: 'en' });
  await new Promise((resolve) => bare.child.once('message', resolve));
  await compare(`speech: seconds of audio per CPU second, ${seconds} s of one voice`, {
    runs: option('runs', 3),
    ...passes,
  });
  bare.child.kill();
}

async function times() {
  const minutes = option('minutes', 30);
  const transcribe = await product();
  await transcribe(await recording(10));
  for (const seconds of [10, minutes * 60]) {
    const path = await recording(seconds);
    const startedAt = performance.now();
    await transcribe(path);
    const took = (performance.now() - startedAt) / 1000;
    console.log(
      `  ${seconds} s of audio: text after ${took.toFixed(1)} s, ${(seconds / took).toFixed(1)} times real time`,
    );
  }
}

async function memory() {
  const transcribe = await product();
  for (const seconds of [10, option('hours', 2) * 3600]) {
    await transcribe(await recording(seconds));
    console.log(
      `  after ${seconds} s of audio: at most ${await peakMegabytesOf(transcribe.worker)} MB in the worker so far`,
    );
  }
}

async function speakers() {
  const data = process.argv[3];
  const seconds = option('minutes', 5) * 60;
  const references = JSON.parse(await readFile(join(data, 'references.json'), 'utf8'));
  const clips = references.filter(
    ({ file, lang, reference }) => lang === 'en' && reference && !/^jfk\.(mp3|wav)$/.test(file),
  );
  let state = 1;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const pieces = [];
  const texts = [];
  for (let bytes = 0; ; ) {
    const { file, reference } = clips[pieces.length % clips.length];
    const tempo = `atempo=${(0.85 + 0.35 * random()).toFixed(3)}`;
    const raw = ['-ac', '1', '-ar', '16000', '-f', 's16le', 'pipe:1'];
    const clip = execFileSync('ffmpeg', ['-loglevel', 'error', '-i', join(data, file), '-af', tempo, ...raw], {
      maxBuffer: 1e8,
    });
    const pause = Buffer.alloc(2 * Math.round(16_000 * (0.3 + 1.7 * random())));
    bytes += clip.length + pause.length;
    if (bytes > seconds * 32_000) break;
    pieces.push(Buffer.concat([clip, pause]));
    texts.push(reference);
  }
  const path = await writeWav(`speakers-${seconds}`, Buffer.concat(pieces));
  const transcribe = await product();
  // Opens both recognizers of a worker.
  await transcribe(await recording(70));
  const before = await cpuSecondsOf(transcribe.worker);
  const startedAt = performance.now();
  const { result } = await transcribe(path);
  const took = (performance.now() - startedAt) / 1000;
  const cpu = (await cpuSecondsOf(transcribe.worker)) - before;
  const { alignWords } = await import('../dist/ml/speech/word-errors/word-errors.js');
  const { normalizeWords } = await import('../dist/ml/speech/word-errors/normalize-words.js');
  const reference = normalizeWords(texts.join(' '));
  const wrong = alignWords(reference, normalizeWords(result.transcription)).filter(({ kind }) => kind !== 'same');
  console.log(
    `  ${seconds} s of audio: text after ${took.toFixed(1)} s, ${(cpu / seconds).toFixed(4)} CPU s per s of audio, ` +
      `peak ${await peakMegabytesOf(transcribe.worker)} MB, ${wrong.length} errors in ${reference.length} words`,
  );
}

async function product() {
  const { message } = await bench.start('serve');
  // As `assay start` starts it.
  const { stt } = await import('../dist/services/stt/index.js');
  const { workerEnvironment } = stt.configure(bench.env)({});
  for (const [name, value] of Object.entries(workerEnvironment)) bench.env[name] ??= value;
  const { child } = await bench.start('work', '--service', 'stt');
  const url = message.listening.stt;
  const headers = { authorization: `Bearer ${TOKEN}` };
  const transcribe = async (path) => {
    const body = await readFile(path);
    const sent = await fetch(`${url}/files`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'audio/wav' },
      body,
    });
    const accepted = await fetch(`${url}/transcribe/audio_url`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ url: (await sent.json()).data.url, language: 'en' }),
    });
    const { task_id } = (await accepted.json()).data;
    for (;;) {
      const answer = await fetch(`${url}/result/${task_id}`, { headers: { ...headers, prefer: 'wait=10' } });
      const { data } = await answer.json();
      if (data.status === 'failed') throw new Error(data.error);
      if (data.status === 'done') return data;
    }
  };
  return Object.assign(transcribe, { worker: child.pid });
}

/** A 16 kHz WAV file with the example's voice repeated for `seconds`, with pauses. */
async function recording(seconds) {
  const { openAudio } = await import('../dist/ml/audio/open-audio.js');
  const example = fileURLToPath(new URL('../examples/voice-note.mp3', import.meta.url));
  const { signal } = new AbortController();
  const audio = await openAudio(example, { signal, maxSeconds: 600 });
  const once = [];
  for await (const chunk of audio.pieces({ signal })) {
    const bytes = Buffer.alloc(chunk.length * 2);
    chunk.forEach((value, i) => {
      bytes.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768))), 2 * i);
    });
    once.push(bytes);
  }
  once.push(Buffer.alloc(16_000));
  const phrase = Buffer.concat(once);
  const sound = Buffer.alloc(seconds * 32_000);
  for (let at = 0; at < sound.length; at += phrase.length) phrase.copy(sound, at);
  return writeWav(`speech-${seconds}`, sound);
}

/** Writes 16 kHz mono samples of 16 bits to a WAV file and returns its path. */
async function writeWav(name, sound) {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + sound.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  for (const [value, at] of [
    [1, 20],
    [1, 22],
    [2, 32],
    [16, 34],
  ])
    head.writeUInt16LE(value, at);
  for (const [value, at] of [
    [16_000, 24],
    [32_000, 28],
    [sound.length, 40],
  ])
    head.writeUInt32LE(value, at);
  head.write('data', 36);
  const path = `${bench.dataDir}/${name}.wav`;
  await writeFile(path, Buffer.concat([head, sound]));
  return path;
}

async function cpuSecondsOf(pid) {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1].split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
}

async function peakMegabytesOf(pid) {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(kilobytes) / 1024);
}
