// How much of passports in other layouts is found: every layout of test/documents as a PDF, as a scan and as photos, read
// with the machine's Tesseract and once more with the OCR that comes from the registry.
//
//     node bench/documents-accuracy.mjs [seed,seed…] [system|registry]     fresh documents for seeds nobody used before
//
// Layouts marked "after" came after the rules; docs/models.md has what was found in them at first sight. A seed takes some
// ten minutes for each OCR on two cores.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const [seeds = '1', only] = process.argv.slice(2);
const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
for (const ocr of only ? [only] : ['system', 'registry']) {
  console.log(`OCR: ${ocr}, seeds ${seeds}`);
  const env = { ...process.env, DOCUMENTS: 'all', DOCUMENTS_SEEDS: seeds, DOCUMENTS_OCR: ocr };
  const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/documents/accuracy.test.ts'], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  process.exitCode ||= status ?? 1;
}
