// Extraction accuracy on other layouts: every layout of test/documents as PDF, scan and photos, with the system's
// Tesseract and with the OCR from npm.
// node bench/documents-accuracy.mjs [seed,seed…] [system|registry]
// New seeds generate new documents. Layouts marked "after" were added after the rules; docs/models.md has their first
// results. A seed takes about ten minutes per OCR on two cores.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const [seeds = '1', only] = process.argv.slice(2);
const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
for (const ocr of only ? [only] : ['system', 'registry']) {
  console.log(`OCR: ${ocr}, seeds ${seeds}`);
  const env = { ...process.env, DOCUMENTS: 'all', DOCUMENTS_SEEDS: seeds, DOCUMENTS_OCR: ocr };
  const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/passports/accuracy/accuracy.full.test.ts'], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  process.exitCode ||= status ?? 1;
}
