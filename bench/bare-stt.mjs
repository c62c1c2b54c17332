// The ceiling of a worker that hears: the engine alone, shown the samples of a recording in windows as long as it takes,
// with nobody who decodes a file, looks for speech, stitches or writes down. Answers the CPU seconds of each pass.
import { readFile } from 'node:fs/promises';

const { openRecognizer } = await import('../dist/ml/speech/open-recognizer.js');
const [, , model, dataDir] = process.argv;
const engine = await openRecognizer(model, { dataDir });
process.send({ ready: true });
process.on('message', async ({ path, language }) => {
  const wav = (await readFile(path)).subarray(44);
  const samples = Float32Array.from({ length: wav.length / 2 }, (_, i) => wav.readInt16LE(2 * i) / 32_768);
  const { signal } = new AbortController();
  const begun = process.cpuUsage();
  const step = engine.windowSeconds * 16_000;
  for (let at = 0; at < samples.length; at += step) {
    const piece = samples.slice(at, at + step);
    const window = { start: at / 16_000, end: (at + piece.length) / 16_000, samples: piece };
    await engine.recognize(window, { language, signal });
  }
  const { user, system } = process.cpuUsage(begun);
  process.send({ cpuSeconds: (user + system) / 1e6 });
});
