// `node bench/speech-clips.mjs FOLDER`: recordings of six synthetic voices with their texts, without noise and with noise 20 and
// 10 dB below the speech, and one text in other formats and sample rates. Measure with
// `node scripts/assay.mjs models try NAME --folder FOLDER`. Needs flite, espeak-ng and ffmpeg.
import './help.mjs';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requirePrograms } from './require-programs.mjs';
import { speak } from './vocabulary/clips.mjs';

requirePrograms('flite', 'espeak-ng', 'ffmpeg');

const folder = process.argv[2];
if (!folder) throw new Error('node bench/speech-clips.mjs FOLDER');
const texts = JSON.parse(readFileSync(new URL('speech/texts.json', import.meta.url), 'utf8'));

for (const [noise, signalToNoise] of Object.entries({ clean: Number.POSITIVE_INFINITY, '20dB': 20, '10dB': 10 })) {
  for (const [voice, sentences] of Object.entries(texts)) {
    const [{ texts: spoken, samples }] = speak(sentences, { voice, signalToNoise, seconds: 120 });
    write(join(folder, noise), `${voice}.flac`, spoken.join(' '), samples, []);
  }
}

const FORMATS = {
  'wav-8000.wav': ['-ar', '8000'],
  'wav-22050.wav': ['-ar', '22050'],
  'wav-48000-stereo.wav': ['-ar', '48000', '-ac', '2'],
  'mp3-32k.mp3': ['-b:a', '32k'],
  'aac-48k.m4a': ['-b:a', '48k'],
  'opus-16k.ogg': ['-c:a', 'libopus', '-b:a', '16k'],
  'flac-44100.flac': ['-ar', '44100'],
};
const [{ texts: spoken, samples }] = speak(texts.rms, { voice: 'rms', signalToNoise: 20, seconds: 120 });
for (const [name, encoding] of Object.entries(FORMATS)) {
  write(join(folder, 'formats'), name, spoken.join(' '), samples, encoding);
}

function write(into, name, text, samples, encoding) {
  mkdirSync(into, { recursive: true });
  const input = Buffer.from(samples.buffer);
  const raw = ['-f', 'f32le', '-ar', '16000', '-ac', '1', '-i', 'pipe:0'];
  execFileSync('ffmpeg', ['-loglevel', 'error', '-y', ...raw, ...encoding, join(into, name)], { input });
  writeFileSync(join(into, name.replace(/\.\w+$/, '.txt')), `${text}\n`);
}
