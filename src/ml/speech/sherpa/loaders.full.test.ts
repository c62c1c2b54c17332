import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  nemoCtc,
  nemoTransducer,
  zipformerCtc,
  zipformerTransducer,
} from '../../../../test/support/speech/random-networks.ts';
import { sampleWindow } from '../../../../test/support/speech/sample-recordings.ts';
import { openEngineThread } from '../engine-thread.ts';
import { verifyModelFiles } from '../installed-models.ts';
import { parseSpeechManifest } from '../model-list.ts';

const CTC = { kind: 'ctc', model: 'model.onnx' };
const TRANSDUCER = { kind: 'transducer', encoder: 'encoder.onnx', decoder: 'decoder.onnx', joiner: 'joiner.onnx' };

test.each([
  ['a CTC model of NeMo', CTC, nemoCtc()],
  ['a CTC model of Zipformer', { ...CTC, family: 'zipformer' }, zipformerCtc()],
  ['a transducer of NeMo', TRANSDUCER, nemoTransducer()],
  ['a transducer of Zipformer', { ...TRANSDUCER, family: 'zipformer' }, zipformerTransducer()],
])('a manifest opens %s', { timeout: 60_000 }, async (_, engine, files) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'assay-loaders-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const folder = join(dataDir, 'models/stt/random');
  await mkdir(folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
  const manifest = parseSpeechManifest(
    JSON.stringify({
      ...{ name: 'random', title: 'Random weights', licence: 'MIT', languages: ['ru'], windowSeconds: 20 },
      engine: { runs: 'sherpa', tokens: 'tokens.txt', ...engine },
      files: Object.fromEntries(Object.keys(files).map((file) => [file, {}])),
    }),
  );
  const opened = await openEngineThread(await verifyModelFiles(manifest, dataDir), 1);
  onTestFinished(() => opened.close());

  const { samples } = sampleWindow('bridge');
  const segments = await opened.recognize({ samples }, new AbortController().signal);
  const words = segments.flatMap((segment) => segment.words ?? []);
  expect(words.map(({ text }) => text).join('')).toMatch(/^[a-f]+$/);
  expect(new Set(segments.map(({ language }) => language))).toEqual(new Set(['ru']));
});
