// Checks that the exported model gives the same results in Node as in training: decodes the splits with sharp, runs
// backbone.onnx in onnxruntime-node and the heads in JavaScript, and writes accuracy, calibration error and latency as JSON.
// Usage: node serve_check.mjs DATA_FOLDER MODEL_FOLDER RESULT.json   (sharp and onnxruntime-node from the project)
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [dataFolder, modelFolder, resultPath] = process.argv.slice(2);
// MODULES names another folder whose node_modules hold the two packages.
const require = createRequire(process.env.MODULES ? join(process.env.MODULES, 'index.js') : import.meta.url);
const sharp = require('sharp');
const ort = require('onnxruntime-node');
sharp.concurrency(1);

/** Files of an uncompressed tar: name -> bytes. */
function* untar(bytes) {
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0; ) {
    const text = (from, length) =>
      bytes
        .toString('latin1', at + from, at + from + length)
        .replace(/\0.*$/s, '')
        .trim();
    const size = parseInt(text(124, 12), 8) || 0;
    const type = text(156, 1);
    if (type === '' || type === '0') {
      const name = [text(345, 155), text(0, 100)].filter(Boolean).join('/').replace(/^\.\//, '');
      yield [name, bytes.subarray(at + 512, at + 512 + size)];
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
}

const heads = JSON.parse(readFileSync(join(modelFolder, 'heads.json'), 'utf8')).heads;
const session = await ort.InferenceSession.create(join(modelFolder, 'backbone.onnx'), {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
});
const size = session.inputMetadata[0].shape[1];

/** The input rule: upright, whole image squashed to the square, three 8-bit sRGB channels; [1,S,S,3]. */
async function input(bytes) {
  const pixels = await sharp(bytes)
    .autoOrient()
    .resize(size, size, { fit: 'fill' })
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer();
  if (pixels.length !== size * size * 3) throw new Error(`not three channels: ${pixels.length} bytes`);
  return new ort.Tensor('uint8', new Uint8Array(pixels), [1, size, size, 3]);
}

/** Class probabilities: softmax((W f + b) / temperature). */
function probabilities(head, features) {
  const logits = head.weights.map(
    (row, k) => row.reduce((sum, w, d) => sum + w * features[d], head.bias[k]) / head.temperature,
  );
  const top = Math.max(...logits);
  const exp = logits.map((v) => Math.exp(v - top));
  const sum = exp.reduce((a, b) => a + b, 0);
  return exp.map((v) => v / sum);
}

const [header, ...lines] = readFileSync(join(dataFolder, 'labels.csv'), 'utf8').trim().split(/\r?\n/);
const columns = header.split(',');
const rows = lines
  .map((line) => Object.fromEntries(line.split(',').map((value, i) => [columns[i], value])))
  .filter((row) => row.split !== 'train');
const byFile = new Map(rows.map((row) => [row.file, row]));
const directions = /^(horizontal|vertical|diagonal|hairline|structural)_crack$/;

const scores = {};
const times = [];
const predictions = {};
for (const set of new Set(rows.map((row) => row.file.split('/')[0]))) {
  for (const [name, bytes] of untar(readFileSync(join(dataFolder, `${set}.tar`)))) {
    const row = byFile.get(name);
    if (!row) continue;
    const image = await input(bytes);
    const begun = performance.now();
    const { features } = await session.run({ image });
    times.push(performance.now() - begun);
    const truth = {
      surface: row.surface,
      masters: row.master,
      defects: row.defect.replace(directions, 'crack') || 'sound',
    };
    for (const [name, head] of Object.entries(heads)) {
      const p = probabilities(head, features.data);
      const confidence = Math.max(...p);
      const label = head.labels[p.indexOf(confidence)];
      under(under(scores, row.split, {}), name, []).push([confidence, label === truth[name] ? 1 : 0]);
      under(predictions, row.file, {})[name] = label;
    }
  }
}

/** `object[key]`, initialized with `fresh` on the first call. */
function under(object, key, fresh) {
  if (!(key in object)) object[key] = fresh;
  return object[key];
}

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
const result = { splits: {}, latency_ms: {} };
for (const [split, byHead] of Object.entries(scores)) {
  result.splits[split] = {};
  for (const [name, list] of Object.entries(byHead)) {
    const bins = Array.from({ length: 15 }, () => []);
    for (const pair of list) bins[Math.min(14, Math.floor(pair[0] * 15))].push(pair);
    result.splits[split][name] = {
      images: list.length,
      accuracy: mean(list.map((pair) => pair[1])),
      calibration_error: bins
        .filter((bin) => bin.length)
        .reduce(
          (sum, bin) =>
            sum + (bin.length / list.length) * Math.abs(mean(bin.map((p) => p[0])) - mean(bin.map((p) => p[1]))),
          0,
        ),
    };
  }
}
times.sort((a, b) => a - b);
result.latency_ms = { median: times[times.length >> 1], p95: times[Math.floor(times.length * 0.95)] };
result.versions = {
  sharp: sharp.versions.sharp,
  libvips: sharp.versions.vips,
  'onnxruntime-node': ort.env.versions.node,
};
writeFileSync(resultPath, `${JSON.stringify(result, null, 1)}\n`);
console.log(JSON.stringify(result));
