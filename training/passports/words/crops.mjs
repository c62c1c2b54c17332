// Writes crops of words as the product cuts them from scans and photos, with the printed text and that of Tesseract.
// node training/passports/words/crops.mjs FIRST COUNT OUT_FOLDER [SECONDS] [--forms FOLDER]… [--validation]
// The pages are generated, or with `--forms` those of authored forms with other values, COUNT variants of each document from number FIRST on;
// `--validation` marks them as pages that measure accuracy.
// Takes 2 to 4 seconds per page and core. pack.py packs `crops.jsonl` (one object per crop) and `crops.bin` (their pixels).
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openSession } from '../../../dist/ml/session.js';
import { bundledFile } from '../../../dist/services/passports/model/bundled-file.js';
import { recognizeInPageLanguage } from '../../../dist/services/passports/model/ocr/english.js';
import { wordsOnView } from '../../../dist/services/passports/model/ocr/line-images.js';
import { preprocessPage } from '../../../dist/services/passports/model/ocr/preprocess.js';
import { cropWord, extentOf, recognizeTwice } from '../../../dist/services/passports/model/ocr/re-ocr.js';
import { openTesseract } from '../../../dist/services/passports/model/ocr/tesseract.js';
import { openWordReader } from '../../../dist/services/passports/model/ocr/word-reader.js';
import { placeWords } from '../generator/align.mjs';
import { alignForms, languageOf } from '../generator/authored-forms.mjs';
import { openBrowser } from '../generator/browser.mjs';
import { degrade } from '../generator/degrade.mjs';
import { composePage } from '../generator/page.mjs';
import { createRandom } from '../generator/random.mjs';
import { createPools, varyDocument } from '../generator/vary-authored.mjs';

const DPI = 200;
/** Dense pages take too long. */
const MAX_WORDS = 450;
/** Random crops per page, and further ones that Tesseract misread; only the random ones measure accuracy. */
const RANDOM = 70;
const MISREAD = 40;
/** Every eighth page measures accuracy; its crops also have the product's final text. */
const isForValidation = (number) => number % 8 === 7;
/** Higher ones are stamps and stains. */
const MAX_HEIGHT = 80;

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: { forms: { type: 'string', multiple: true }, validation: { type: 'boolean', default: false } },
});
const [first, count, out] = [Number(positionals[0]), Number(positionals[1]), positionals[2]];
const deadline = Date.now() + Number(positionals[3] ?? 1e6) * 1000;
mkdirSync(out, { recursive: true });
function reportFailure(error) {
  console.error(error);
  return [];
}

/** Crops of one word or more with a certain truth. */
async function cropsOf(dom, raster, withProduct) {
  const { view, lines: all } = preprocessPage(raster);
  if (view.turn !== 0) return [];
  const lines = all.filter(({ isTurned, parts }) => !isTurned && parts.length === 0);
  const images = lines.map(({ image }) => image);
  const { signal } = new AbortController();
  const { words } = await recognizeInPageLanguage(engine, images, signal);
  const final = withProduct ? await recognizeTwice(engine, images, signal) : words;
  engine.forget();
  const found = words.flatMap((line, i) => {
    const whole = line.map((word) => ({ ...word, ...extentOf(images[i], word, line) }));
    const onView = wordsOnView(whole, lines[i]);
    return line.map((word, j) => ({
      word,
      line,
      box: shares(onView[j], view),
      image: images[i],
      product: final[i][j].text,
    }));
  });
  const placed = placeWords(dom, { words: found.map(({ word, box }) => ({ text: word.text, box })) });
  if (!placed) return [];
  return found.flatMap(({ word, line, box, image, product }) => {
    const [x0, y0, x1, y1] = box;
    const points = [x0 * dom.width, y0 * dom.height, x1 * dom.width, y1 * dom.height];
    const truth = image.height <= MAX_HEIGHT ? truthOf(word.text, points, placed) : undefined;
    if (truth === undefined) return [];
    return [
      {
        image: cropWord(image, word, line),
        truth,
        text: word.text,
        product,
        confidence: word.confidence,
        isValidation: withProduct,
      },
    ];
  });
}

const shares = ({ left, top, right, bottom }, { width, height }) => [
  left / width,
  top / height,
  right / width,
  bottom / height,
];

/** In parts of the height of the printed word: how far its box may extend beyond the crop, and the crop beyond its box. */
const MAX_CUT = 0.2;
const MAX_EXCESS = 0.45;

/** The printed words that exactly fill a crop; undefined if some are cut off, or the texts have little in common. */
function truthOf(text, [x0, y0, x1, y1], placed) {
  const inside = placed
    .filter(({ box }) => {
      const wide = Math.min(x1, box[2]) - Math.max(x0, box[0]);
      const high = Math.min(y1, box[3]) - Math.max(y0, box[1]);
      return wide > 0.15 * Math.min(x1 - x0, box[2] - box[0]) && high > 0.5 * Math.min(y1 - y0, box[3] - box[1]);
    })
    .sort((a, b) => a.box[0] - b.box[0]);
  if (inside.length === 0 || inside.length > 3) return undefined;
  const high = Math.max(4, ...inside.map(({ box }) => box[3] - box[1]));
  const isSeparate = inside.every(({ box }, i) => i === 0 || box[0] > inside[i - 1].box[2] - 0.1 * high);
  const excess = [inside[0].box[0] - x0, x1 - inside.at(-1).box[2]];
  if (!isSeparate || Math.max(...excess) > MAX_EXCESS * high || Math.min(...excess) < -MAX_CUT * high) return undefined;
  const truth = inside.map(({ word }) => word.text).join(' ');
  const isSpaced = inside.length > 1 && inside.every(({ word }) => word.text.length === 1);
  const letters = truth.replaceAll(' ', '').length;
  if (Math.abs(text.length - letters) > Math.max(1, 0.35 * letters)) return undefined;
  const differing = editDistance([...text.toLowerCase()], [...truth.toLowerCase()]);
  if (isSpaced || /\p{Co}|[\uFFFD☐☑☒□■✓✔]/u.test(truth)) return undefined;
  return differing <= Math.max(2, 0.6 * truth.length) ? truth : undefined;
}

async function* generatedPages() {
  for (let number = first; number < first + count; number++) {
    const composed = composePage(number);
    const [dom] = await browser.read([composed]);
    yield { page: number, dom, picture: () => browser.picture(composed), isValidation: isForValidation(number) };
  }
}

async function* authoredPages() {
  const session = await openSession({ path: await bundledFile('fields.onnx'), poolSize: 1 });
  const forms = await alignForms(options.forms, browser, session);
  await session.close();
  const pools = createPools();
  for (let variant = first; variant < first + count; variant++) {
    for (const { name, documents } of forms) {
      for (const [i, document] of documents.entries()) {
        const changes = varyDocument(
          document,
          createRandom(`words ${name} ${i} ${variant}`),
          pools.get(languageOf(document)),
        );
        const { pages: doms } = await browser.readDocument(document.html, changes);
        const pictures = await browser.pictures();
        for (const [number, dom] of doms.entries())
          yield {
            page: `${name} ${i} ${variant} ${number}`,
            dom,
            picture: () => pictures[number],
            isValidation: options.validation,
          };
      }
    }
  }
}

/** Random crops, and then ones that Tesseract misread. */
function chooseCrops(crops, random) {
  const shuffled = crops.map((crop) => [random.next(), crop]).sort(([a], [b]) => a - b);
  const chosen = shuffled.slice(0, RANDOM).map(([, crop]) => ({ ...crop, isRandom: true }));
  const misread = shuffled.slice(RANDOM).filter(([, { text, truth }]) => text !== truth);
  return [...chosen, ...misread.slice(0, MISREAD).map(([, crop]) => ({ ...crop, isRandom: false }))];
}

function editDistance(a, b) {
  let row = b.map((_, j) => j + 1);
  for (const [i, one] of a.entries()) {
    let before = i + 1;
    const next = [];
    for (const [j, other] of b.entries()) {
      const diagonal = j === 0 ? i : row[j - 1];
      before = Math.min(before + 1, row[j] + 1, diagonal + (one === other ? 0 : 1));
      next.push(before);
    }
    row = next;
  }
  return row.at(-1) ?? a.length;
}

/** Reads the same lines only once, so that the readings before and after the product's corrections cost one. */
function remember(engine) {
  const known = new Map();
  const once = (name) => (lines, signal) => {
    const key = `${name} ${lines.length} ${lines.reduce((sum, { data }) => sum + data.length, 0)}`;
    if (!known.has(key)) known.set(key, engine[name](lines, signal));
    return known.get(key);
  };
  return {
    ...engine,
    recognize: once('recognize'),
    recognizeEnglish: engine.recognizeEnglish && once('recognizeEnglish'),
    forget: () => known.clear(),
  };
}

const browser = await openBrowser(DPI / 96);
const reader = await openWordReader(1);
const engine = remember({ ...(await openTesseract('tesseract', 1)), readWords: reader.read });
let [pages, total] = [0, 0];
for await (const { page, dom, picture, isValidation } of options.forms ? authoredPages() : generatedPages()) {
  if (Date.now() > deadline) break;
  if (dom.words.length > MAX_WORDS) continue;
  const random = createRandom(`paper ${page}`);
  const { scale: _, ...raster } = await degrade(await picture(), random);
  const crops = chooseCrops(await cropsOf(dom, raster, isValidation).catch(reportFailure), random);
  const lines = crops.map(({ image, ...crop }) =>
    JSON.stringify({ page, width: image.width, height: image.height, ...crop }),
  );
  appendFileSync(join(out, 'crops.bin'), Buffer.concat(crops.map(({ image }) => image.data)));
  appendFileSync(join(out, 'crops.jsonl'), lines.map((line) => `${line}\n`).join(''));
  pages++;
  total += crops.length;
  if (pages % 20 === 0) console.log(`${pages} pages, ${total} crops`);
}
await Promise.all([browser.close(), reader.close()]);
process.exit();
