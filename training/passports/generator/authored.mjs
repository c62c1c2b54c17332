// Writes pages of authored forms with other values and typography as shards.
// node training/passports/generator/authored.mjs OUT_FOLDER VARIANTS FORMS… [--network FILE] [--first N] [--report]
// FORMS are folders as test/passports/accuracy/blind/first. `--report` prints the marks of each document instead;
// `--first` is the number of the first variant, for other pages than those of an earlier training.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openSession } from '../../../dist/ml/session.js';
import { bundledFile } from '../../../dist/services/passports/model/bundled-file.js';
import { alignForms, languageOf } from './authored-forms.mjs';
import { openBrowser } from './browser.mjs';
import { encodePrinted, writeShard } from './generate.mjs';
import { createRandom } from './random.mjs';
import { createPools, varyDocument } from './vary-authored.mjs';

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    network: { type: 'string' },
    first: { type: 'string', default: '0' },
    report: { type: 'boolean', default: false },
  },
});
const [out, variants, ...folders] = positionals;
const session = await openSession({ path: options.network ?? (await bundledFile('fields.onnx')), poolSize: 1 });
const browser = await openBrowser();
const forms = await alignForms(folders, browser, session);
await session.close();
let [all, marked, cells, markedCells] = [0, 0, 0, 0];
for (const { name, documents } of forms) {
  for (const [i, { truth, marks, missing, unknown, read }] of documents.entries()) {
    const keys = Object.keys(truth.values).length;
    const lostValues = missing.filter((key) => !/:\d/.test(key));
    const inRooms = (truth.rooms ?? []).reduce((sum, room) => sum + Object.keys(room).length, 0);
    all += keys;
    marked += keys - lostValues.length;
    cells += inRooms;
    markedCells += inRooms - (missing.length - lostValues.length);
    if (options.report) {
      console.log(`== ${name} ${i + 1}  missing: ${missing.join(' ')}`);
      for (const { key, field, group, text, p } of marks)
        console.log(
          `  ${key} ${field === key ? '' : field} [${group}] ${p?.toFixed(2) ?? ''} ${JSON.stringify(text)} | ${JSON.stringify(truth.values[key] ?? '')}`,
        );
      console.log(
        `  unknown: ${unknown.map(({ node, start, end }) => read.nodes[node].text.slice(start, end)).join(' ¦ ')}`,
      );
    }
  }
}
console.log(`aligned ${marked} of ${all} values, ${markedCells} of ${cells} cells`);

const SHARD = 500;
const pools = createPools();
mkdirSync(out, { recursive: true });
const open = [];
let shards = 0;
const flush = () => writeShard(join(out, `authored-${String(shards++).padStart(4, '0')}.bin`), open.splice(0, SHARD));
const first = Number(options.first);
for (let variant = first; variant < first + Number(variants); variant++) {
  for (const { name, documents } of forms) {
    for (const [i, document] of documents.entries()) {
      const random = createRandom(`authored ${name} ${i} ${variant}`);
      const pool = pools.get(languageOf(document));
      const { pages } = await browser.readDocument(document.html, varyDocument(document, random, pool));
      for (const [number, page] of pages.entries()) {
        const made = encodePrinted(page, `authored ${name} ${i} ${variant} ${number}`);
        if (made) open.push(made);
      }
    }
    if (open.length >= SHARD) flush();
  }
}
if (open.length > 0) flush();
await browser.close();
