// `node bench/vocabulary.mjs [development | construction | measurement | evaluation | second-evaluation] [--voices rms,awb,slt] [--noise 20] [--seed 1] [--terms 1000]`:
// errors in terms and in other words without and with the terms as vocabulary. Needs flite, espeak-ng and ffmpeg. `--noise`:
// signal-to-noise ratio in decibels; `--seed`: of the noise; `--terms`: words of the documentation fill the vocabulary up. The
// constants of `preferTerms` were chosen with `development`, `construction` and `measurement`.
import './help.mjs';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { option } from './lib.mjs';
import { requirePrograms } from './require-programs.mjs';
import { speak } from './vocabulary/clips.mjs';
import { countErrors } from './vocabulary/count-errors.mjs';

requirePrograms('flite', 'espeak-ng', 'ffmpeg');

const { openRecognizer } = await import('../dist/ml/speech/open-recognizer.js');
const { normalizeWords } = await import('../dist/ml/speech/word-errors/normalize-words.js');
const set =
  ['development', 'construction', 'evaluation', 'second-evaluation'].find((each) => each === process.argv[2]) ??
  'measurement';
const { terms, sentences } = JSON.parse(readFileSync(new URL(`vocabulary/${set}.json`, import.meta.url), 'utf8'));
const at = process.argv.indexOf('--voices');
const voices = (at < 0 ? 'rms,awb,slt' : process.argv[at + 1]).split(',');
const vocabulary = [...terms, ...otherWords()].slice(0, option('terms', terms.length)).map((term) => ({ term }));

const recognizer = await openRecognizer('whisper-base', { dataDir: tmpdir() });
const { signal } = new AbortController();
const sums = new Map();
for (const voice of voices) {
  for (const { texts, samples } of speak(sentences, {
    voice,
    signalToNoise: option('noise', 20),
    seed: option('seed', 1),
  })) {
    const window = { start: 0, end: samples.length / 16_000, samples };
    for (const [name, preferred] of Object.entries({ without: [], with: vocabulary })) {
      const startUsage = process.cpuUsage();
      const segments = await recognizer.recognize(window, { language: 'en', vocabulary: preferred, signal });
      const { user, system } = process.cpuUsage(startUsage);
      const errors = countErrors(texts.join(' '), segments.map(({ text }) => text).join(' '), terms);
      add(sums, `${voice} ${name}`, { ...errors, cpuSeconds: (user + system) / 1e6 });
      add(sums, `all ${name}`, { ...errors, cpuSeconds: (user + system) / 1e6 });
    }
  }
}
await recognizer.close();
for (const [name, sum] of [...sums].sort()) {
  const share = (errors, count) => `${errors} of ${count} (${((100 * errors) / count).toFixed(1)} %)`;
  console.log(
    `${name.padEnd(18)} terms ${share(sum.termErrors, sum.terms)}, other words ${share(sum.otherErrors, sum.otherWords)}, ${sum.cpuSeconds.toFixed(1)} CPU-s`,
  );
}

function add(all, name, values) {
  const sum = all.get(name) ?? {};
  for (const [key, value] of Object.entries(values)) sum[key] = (sum[key] ?? 0) + value;
  all.set(name, sum);
}

/** Words of at least seven letters in the documentation that do not occur in the sentences. */
function otherWords() {
  const folder = new URL('../docs/', import.meta.url);
  const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
  const text = pages.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');
  const spoken = new Set(normalizeWords(sentences.join(' ')));
  return [...new Set(normalizeWords(text))].filter((word) => /^[a-z]{7,}$/.test(word) && !spoken.has(word)).sort();
}
