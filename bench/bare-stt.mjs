// Baseline for speech workers: the recognizer alone on full windows, without decoding, speech detection and
// post-processing. Responds with the CPU seconds of each pass.
import { readFile } from 'node:fs/promises';

const { openRecognizer } = await import('../dist/ml/speech/open-recognizer.js');
const [, , model, dataDir] = process.argv;
const engine = await openRecognizer(model, { dataDir });
process.send({ ready: true });
process.on('message', async ({ path, language }) => {
  const wav = (await readFile(path)).subarray(44);
  const samples = Float32Array.from({ length: wav.length / 2 }, (_, i) => wav.readInt16LE(2 * i) / 32_768);
  const { signal } = new AbortController();
  const startUsage = process.cpuUsage();
  const step = engine.windowSeconds * 16_000;
  for (let at = 0; at < samples.length; at += step) {
    const chunk = samples.slice(at, at + step);
    const window = { start: at / 16_000, end: (at + chunk.length) / 16_000, samples: chunk };
    await engine.recognize(window, { language, signal });
  }
  const { user, system } = process.cpuUsage(startUsage);
  process.send({ cpuSeconds: (user + system) / 1e6 });
});
