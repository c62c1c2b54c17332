// Speech of synthetic voices with noise, made by the Debian packages flite and espeak-ng, and ffmpeg.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const RATE = 16_000;
const PAUSE = 0.5;

/** Voices by name: a function that turns a text into mono samples of 16 kHz. */
export const VOICES = {
  slt: flite('slt'),
  rms: flite('rms'),
  awb: flite('awb'),
  kal16: flite('kal16'),
  'espeak-gb': espeak('en-gb'),
  'espeak-us': espeak('en-us+f3'),
  kal: flite('kal'),
  'espeak-scotland': espeak('en-gb-scotland+m3'),
};

/** Windows of several sentences with pauses and noise: `{ texts, samples }`, at most `seconds` long. */
export function speak(sentences, { voice, signalToNoise, seconds = 26, seed = 1 }) {
  const windows = [];
  for (const text of sentences) {
    const samples = VOICES[voice](text);
    const last = windows.at(-1);
    const length = samples.length + PAUSE * RATE;
    if (!last || last.length + length > seconds * RATE) windows.push({ texts: [text], parts: [samples], length });
    else {
      last.texts.push(text);
      last.parts.push(samples);
      last.length += length;
    }
  }
  return windows.map(({ texts, parts, length }, i) => {
    const samples = new Float32Array(length);
    let at = 0;
    for (const part of parts) {
      samples.set(part, at);
      at += part.length + PAUSE * RATE;
    }
    return { texts, samples: withNoise(samples, signalToNoise, seed + i) };
  });
}

function flite(voice) {
  return (text) => record('flite', (path) => ['-voice', voice, '-t', text, '-o', path]);
}

function espeak(voice) {
  return (text) => record('espeak-ng', (path) => ['-v', voice, '-s', '150', '-w', path, text]);
}

function record(program, args) {
  const folder = mkdtempSync(join(tmpdir(), 'assay-speech-'));
  try {
    const path = join(folder, 'speech.wav');
    execFileSync(program, args(path));
    const output = ['-ac', '1', '-ar', String(RATE), '-f', 's16le', '-'];
    const pcm = execFileSync('ffmpeg', ['-loglevel', 'error', '-i', path, ...output], { maxBuffer: 2 ** 26 });
    return Float32Array.from({ length: pcm.length >> 1 }, (_, i) => pcm.readInt16LE(2 * i) / 32_768);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Brown and white noise in equal shares, `decibels` below the mean power of the speech. */
function withNoise(samples, decibels, seed) {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  let brown = 0;
  const noise = Float32Array.from(samples, () => {
    const white = random();
    brown = 0.98 * brown + 0.2 * white;
    return brown + white;
  });
  const power = (sound) => sound.reduce((sum, each) => sum + each ** 2, 0) / sound.length;
  const factor = Math.sqrt(power(samples) / power(noise) / 10 ** (decibels / 10));
  return samples.map((sample, i) => sample + factor * noise[i]);
}
