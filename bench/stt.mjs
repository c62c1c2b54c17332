// `node bench/stt.mjs engine [--seconds 300] [--runs 3]`: seconds of sound per CPU second of a worker (and of the ffmpeg it
// starts), against the engine alone over the same samples.
// `node bench/stt.mjs times [--minutes 30]`: from sending the request to holding the text: of ten seconds, of so many minutes.
// `node bench/stt.mjs memory [--hours 2]`: the most memory that a worker takes for a recording so long, and for a short one.
// Linux: the figures of processes are read from /proc.
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { compare, openBench, option, TOKEN } from './lib.mjs';

const what = process.argv[2];
const runs = { engine, times, memory };
if (!runs[what]) throw new Error(`node bench/stt.mjs ${Object.keys(runs).join(' | ')}`);

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
  const hear = await product();
  const bare = await bench.startBare('bare-stt.mjs', bench.env.STT_MODEL ?? 'whisper-base', bench.dataDir);
  const passes = {
    async bare() {
      bare.child.send({ path, language: 'en' });
      const { cpuSeconds } = await new Promise((resolve) => bare.child.once('message', resolve));
      return seconds / cpuSeconds;
    },
    async product() {
      const before = await cpuSecondsOf(hear.worker);
      await hear(path);
      return seconds / ((await cpuSecondsOf(hear.worker)) - before);
    },
  };
  // The first ones fetch code and weights.
  const short = await recording(10);
  await hear(short);
  bare.child.send({ path: short, language: 'en' });
  await new Promise((resolve) => bare.child.once('message', resolve));
  await compare(`speech: seconds heard per CPU second, ${seconds} s of one voice`, {
    runs: option('runs', 3),
    ...passes,
  });
  bare.child.kill();
}

async function times() {
  const minutes = option('minutes', 30);
  const hear = await product();
  await hear(await recording(10));
  for (const seconds of [10, minutes * 60]) {
    const path = await recording(seconds);
    const begun = performance.now();
    await hear(path);
    const took = (performance.now() - begun) / 1000;
    console.log(
      `  ${seconds} s of sound: text after ${took.toFixed(1)} s, ${(seconds / took).toFixed(1)} times as fast as speech`,
    );
  }
}

async function memory() {
  const hear = await product();
  for (const seconds of [10, option('hours', 2) * 3600]) {
    await hear(await recording(seconds));
    console.log(`  after ${seconds} s of sound: at most ${await peakMegabytesOf(hear.worker)} MB in the worker so far`);
  }
}

/** Gateway and worker; sends a recording through them and resolves with its result. */
async function product() {
  const { message } = await bench.start('serve');
  const { child } = await bench.start('work', '--service', 'stt');
  const url = message.listening.stt;
  const headers = { authorization: `Bearer ${TOKEN}` };
  const hear = async (path) => {
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
  return Object.assign(hear, { worker: child.pid });
}

/** So many seconds of the example's voice, said again and again with a pause between, as a WAV file of 16 kHz. */
async function recording(seconds) {
  const { openAudio } = await import('../dist/ml/audio/open-audio.js');
  const example = fileURLToPath(new URL('../examples/voice-note.mp3', import.meta.url));
  const { signal } = new AbortController();
  const audio = await openAudio(example, { signal, maxSeconds: 600 });
  const once = [];
  for await (const piece of audio.pieces({ signal })) {
    const bytes = Buffer.alloc(piece.length * 2);
    piece.forEach((value, i) => {
      bytes.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768))), 2 * i);
    });
    once.push(bytes);
  }
  once.push(Buffer.alloc(16_000));
  const said = Buffer.concat(once);
  const sound = Buffer.alloc(seconds * 32_000);
  for (let at = 0; at < sound.length; at += said.length) said.copy(sound, at);

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
  const path = `${bench.dataDir}/speech-${seconds}.wav`;
  await writeFile(path, Buffer.concat([head, sound]));
  return path;
}

/** What a process has computed so far, and the children that it has waited for. */
async function cpuSecondsOf(pid) {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1].split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
}

async function peakMegabytesOf(pid) {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(kilobytes) / 1024);
}
