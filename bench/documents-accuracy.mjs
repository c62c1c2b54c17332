// Extraction accuracy on generated layouts and on blind forms.
// node bench/documents-accuracy.mjs [seed,seed…] [system|registry]
//   Every layout of test/passports/accuracy/layouts as PDF, scan and photo, with the system's Tesseract and with the OCR
//   from npm. New seeds generate new documents. Layouts marked "after" were added after the rules.
//   A seed takes about ten minutes per OCR on two cores.
// node bench/documents-accuracy.mjs blind [first|…|thirtyfirst|FOLDER] [--kinds pdf,scan,photo] [--ocr system|registry]
//                                         [--cache FOLDER] [--network FILE] [--wrong]
//   The forms of a folder as described in test/passports/accuracy/blind/README.md: at first sight (both documents of each
//   form), and at second sight (document 2 after document 1 was corrected). `--cache` keeps the pages that were read, so
//   that another network is measured without reading them again; `--wrong` lists missing and wrong values.
//   FOLDER may also have PDFs, scans and photos with their truth (test/passports/accuracy/document-folder.ts). Their kinds are
//   the ends of the names, such as scan200; all are measured unless `--kinds` names some.
import './help.mjs';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const inRepository = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const [first = '1', ...rest] = process.argv.slice(2);
if (first === 'blind') {
  warnOfMissingFonts();
  const readTypes = new URL('../test/support/read-types.mjs', import.meta.url).href;
  run(['--import', readTypes, inRepository('test/passports/accuracy/blind-accuracy.ts'), ...rest]);
} else {
  const test = ['run', 'test/passports/accuracy/accuracy.full.test.ts'];
  for (const ocr of rest[0] ? [rest[0]] : ['system', 'registry']) {
    console.log(`OCR: ${ocr}, seeds ${first}`);
    run([inRepository('node_modules/vitest/vitest.mjs'), ...test], {
      cwd: inRepository('.'),
      env: { ...process.env, DOCUMENTS: 'all', DOCUMENTS_SEEDS: first, DOCUMENTS_OCR: ocr },
    });
  }
}

/** The forms name these fonts: with others, lines break elsewhere, and the figures change by up to 1.5 points. */
function warnOfMissingFonts() {
  const families = ['Sans', 'Serif', 'Mono'].flatMap((kind) => [
    `Liberation ${kind}`,
    `DejaVu ${kind === 'Mono' ? 'Sans Mono' : kind}`,
  ]);
  const fonts = [
    ...families,
    'PT Sans',
    'PT Serif',
    'PT Mono',
    'FreeSerif',
    'Noto Sans',
    'Noto Serif',
    'Roboto',
    'Open Sans',
  ];
  const installed = (spawnSync('fc-list', [':', 'family'], { encoding: 'utf8' }).stdout ?? '').split(/[\n,]/);
  const missing = fonts.filter((font) => !installed.includes(font));
  if (missing.length > 0) console.warn(`Fonts of the forms are missing, the figures differ: ${missing.join(', ')}.`);
}

function run(args, options = {}) {
  const { status } = spawnSync(process.execPath, args, { ...options, stdio: 'inherit' });
  process.exitCode ||= status ?? 1;
}
