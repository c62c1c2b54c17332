// Baseline for photo workers: one thread per core decodes photos and runs the network.
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

const threads = Math.min(2, availableParallelism());

if (isMainThread) {
  const workers = Array.from({ length: threads }, () => new Worker(fileURLToPath(import.meta.url)));
  process.send({ ready: true });
  process.on('message', async ({ paths, count }) => {
    const startedAt = performance.now();
    await Promise.all(
      workers.map((worker, i) => {
        worker.postMessage({ paths, from: i, step: threads, count });
        return new Promise((resolve) => worker.once('message', resolve));
      }),
    );
    process.send({ perSecond: count / ((performance.now() - startedAt) / 1000) });
  });
} else {
  const { default: ort } = await import('onnxruntime-node');
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  const folder = new URL('../models/defectoscopy/1.0.0/', import.meta.url);
  const { input } = JSON.parse(await readFile(new URL('manifest.json', folder), 'utf8'));
  const network = await ort.InferenceSession.create(fileURLToPath(new URL('backbone.onnx', folder)), {
    intraOpNumThreads: 1,
  });
  const classify = async (path) => {
    const pixels = await sharp(await readFile(path))
      .rotate()
      .resize(input.width, input.height, { fit: 'fill' })
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer();
    await network.run({ [input.name]: new ort.Tensor('uint8', pixels, [1, input.height, input.width, 3]) });
  };
  parentPort.on('message', async ({ paths, from, step, count }) => {
    for (let i = from; i < count; i += step) await classify(paths[i % paths.length]);
    parentPort.postMessage('done');
  });
}
