// node bench/anomaly.mjs DATA_FOLDER [CACHE_FOLDER]: `assay train --anomaly` on 20 training photos without defects of each
// surface and data set; AUROC of the test photos with defects against those without, and the seconds of the training.
import './help.mjs';
import { copyFileSync, mkdtempSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPhotos } from '../training/defectoscopy/features.mjs';
import { auroc } from './auroc.mjs';

const { trainAnomaly } = await import('../dist/services/defectoscopy/training/train-anomaly.js');
const { infer } = await import('../dist/services/defectoscopy/model/model-version.js');
const { openModelVersions } = await import('../dist/services/defectoscopy/model/versions.js');
const { trainedModelsDir, SHIPPED_MODELS_DIR } = await import('../dist/services/defectoscopy/model/registry.js');
const { openModelDirectory } = await import('../dist/ml/model-directory.js');
const { decodePhoto } = await import('../dist/ml/image.js');

const [dataFolder, cache = join(tmpdir(), 'assay-photo-features')] = process.argv.slice(2);
const dataDir = mkdtempSync(join(tmpdir(), 'assay-anomaly-'));
const rows = await readPhotos(dataFolder, cache);
const isSound = ({ defect }) => defect === 'sound';
const results = [];
for (const kind of new Set(rows.map(({ set, surface }) => `${set}.${surface}`))) {
  const here = rows.filter(({ set, surface }) => `${set}.${surface}` === kind);
  const sound = here.filter((row) => row.split === 'train' && isSound(row));
  const test = here.filter(({ split }) => split === 'test');
  if (sound.length < 20 || test.every(isSound) || !test.some(isSound)) continue;
  const folder = mkdtempSync(join(tmpdir(), 'assay-sound-'));
  // Evenly spaced, so that they show different objects.
  for (let n = 0; n < 20; n++) copyFileSync(sound[Math.floor((n * sound.length) / 20)].path, join(folder, `${n}.jpg`));
  const begun = performance.now();
  const cpu = process.cpuUsage();
  const { version } = await trainAnomaly({ folder, name: kind, dataDir, log: () => {} });
  const seconds = (performance.now() - begun) / 1000;
  const { user } = process.cpuUsage(cpu);

  const models = await openModelDirectory([SHIPPED_MODELS_DIR, trainedModelsDir(dataDir)], console.error);
  const versions = openModelVersions(models);
  const model = await versions.get(version);
  const scored = await Promise.all(
    test.map(async ({ path }) => {
      const { recorded } = await infer(
        model,
        await decodePhoto(await readFile(path), model.input),
        AbortSignal.timeout(6e5),
      );
      return recorded.masters.find(({ name }) => name === 'sound').conf;
    }),
  );
  models.close();
  await versions.close();
  const of = (wanted) => scored.filter((_, i) => isSound(test[i]) === wanted);
  const value = auroc(of(true), of(false));
  results.push(value);
  const wrong = of(true).filter((conf) => conf < 0.5).length / of(true).length;
  console.log(
    `${kind}: AUROC ${value.toFixed(3)}, ${(100 * wrong).toFixed(1)} % of sound photos reported, trained in ${seconds.toFixed(1)} s, ${(user / 1e6).toFixed(1)} s of CPU time`,
  );
}
console.log(`mean AUROC ${(results.reduce((a, b) => a + b) / results.length).toFixed(3)}`);
