// Reads generated pages with the product's OCR and writes them as shards: the same errors as in scans and photos.
// node training/passports/generator/read-pages.mjs FIRST COUNT OUT_FOLDER
// Takes 1 to 3 seconds per page and core. OUT_FOLDER/pages keeps each page; a second run continues.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openScanReader } from '../../../dist/services/passports/model/ocr/read-scan.js';
import { alignWords } from './align.mjs';
import { openBrowser } from './browser.mjs';
import { degrade } from './degrade.mjs';
import { encode, writeShard } from './generate.mjs';
import { composePage } from './page.mjs';
import { createRandom } from './random.mjs';

const DPI = 200;
/** Dense pages take too long. */
const MAX_WORDS = 600;
const SHARD = 500;

const [first, count, out] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]];
const pages = join(out, 'pages');
mkdirSync(pages, { recursive: true });
const numbers = Array.from({ length: count }, (_, i) => first + i);
const missing = numbers.filter((number) => !existsSync(join(pages, `${number}.json`)));
if (missing.length > 0) await readAll(missing);
const encoded = readdirSync(pages).flatMap((name) => {
  const page = JSON.parse(readFileSync(join(pages, name), 'utf8'));
  return (page && encode(page, true)) ?? [];
});
for (let i = 0; i < encoded.length; i += SHARD) {
  writeShard(join(out, `${String(first + i).padStart(7, '0')}.bin`), encoded.slice(i, i + SHARD));
}
console.log(`${encoded.length} pages`);

async function readAll(wanted) {
  const reader = await openScanReader();
  const browser = await openBrowser(DPI / 96);
  const open = new Set();
  for (const number of wanted) {
    const composed = composePage(number);
    const [dom] = await browser.read([composed]);
    const picture = dom.words.length <= MAX_WORDS ? await browser.picture(composed) : undefined;
    const work = (picture ? readPage(number, dom, picture, reader) : Promise.resolve(null)).then((page) =>
      writeFileSync(join(pages, `${number}.json`), JSON.stringify(page ?? null)),
    );
    open.add(work);
    void work.finally(() => open.delete(work));
    if (open.size > reader.concurrency) await Promise.race(open);
  }
  await Promise.all(open);
  await Promise.all([browser.close(), reader.close()]);
}

/** The words that OCR reads, with their truth; undefined if they do not fit the page. */
async function readPage(number, dom, picture, reader) {
  const { scale, ...raster } = await degrade(picture, createRandom(`paper ${number}`));
  const points = 72 / (DPI * scale);
  const size = { width: raster.width * points, height: raster.height * points };
  const read = await reader.read(raster, { size, signal: AbortSignal.timeout(120_000) });
  const words = alignWords(dom, read);
  const { width, height } = read.reading;
  return words && { width, height, words, rules: read.rules };
}
