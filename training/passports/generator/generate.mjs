// Writes training pages as binary shards.
// node training/passports/generator/generate.mjs FIRST COUNT OUT_FOLDER
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLASSES } from '../../../dist/services/passports/model/field-network/classes.js';
import { describePage } from '../../../dist/services/passports/model/field-network/page-features.js';
import { tokenizePages, VALUE_BOUNDARY } from '../../../dist/services/passports/model/fields/page-tokens.js';
import { openBrowser } from './browser.mjs';
import { addOcrNoise } from './ocr-noise.mjs';
import { composePage } from './page.mjs';
import { createRandom } from './random.mjs';

/** What a word can be the label of. */
const LABEL_CLASSES = CLASSES.filter((name) => !name.startsWith('total:'));
const SHARD = 500;
const BATCH = 20;
const MAX_TOKENS = 900;
/** As in train.py. */
const UNKNOWN = 255;

/** As read from the DOM; a part of the pages with errors as OCR makes them. */
export function encodePrinted(page, seed) {
  const random = createRandom(`noise ${seed}`);
  const scanned = random.chance(0.55);
  if (scanned) addOcrNoise(page, random, random.pick([0.3, 0.6, 1, 1.5, 2.5]));
  return encode(page, scanned);
}

/** The tokens of a page as the product sees it, and the word with the truth of each. */
export function tokenize(page, scanned) {
  const plain = page.words.map(({ text, box, confidence }) => ({ text, box, confidence: scanned ? confidence : null }));
  const [sheet] = tokenizePages(
    [
      {
        page: 1,
        width: page.width,
        height: page.height,
        turn: 0,
        words: plain,
        rules: page.rules,
        reader: scanned ? 'ocr' : 'text',
      },
    ],
    VALUE_BOUNDARY,
  );
  const known = new Map(plain.map((word, i) => [word, page.words[i]]));
  const truth = sheet.page.words.map((word) => known.get(word) ?? joinedFrom(word, page.words));
  return { sheet, truth: sheet.tokens.map(({ word }) => truth[word]) };
}

/** The truth of characters in boxes that the product joined to a word. */
function joinedFrom({ text, box }, words) {
  const parts = words.filter(({ box: [x0, y0, x1, y1] }) => {
    const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
    return x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3];
  });
  const main = parts.find(({ field }) => field) ?? parts[0];
  return { ...main, text, ...(main.at && { at: parts.flatMap(({ at }) => at) }) };
}

/** The page as the product sees it, with a truth per token; undefined for an empty or very dense page. */
export function encode(page, scanned) {
  const { sheet, truth } = tokenize(page, scanned);
  if (sheet.tokens.length < 5 || sheet.tokens.length > MAX_TOKENS) return undefined;
  const features = describePage(sheet);
  // Punctuation alone belongs to no value.
  const isPlain = sheet.tokens.map(({ text }) => /[\p{L}\d]/u.test(text));
  return {
    ...features,
    classes: Uint8Array.from(truth, ({ field }, i) => (isPlain[i] ? indexIn(CLASSES, field) : 0)),
    groups: Int32Array.from(truth, ({ field, group }, i) => (field && isPlain[i] ? group : 0)),
    labels: Uint8Array.from(truth, ({ label }) => indexIn(LABEL_CLASSES, label)),
    texts: sheet.tokens.map(({ text }) => text),
  };
}

/** `unknown` is left out of the loss. */
const indexIn = (names, name = 'none') => (name === 'unknown' ? UNKNOWN : names.indexOf(name));

/** Page count, token counts, then the arrays of all pages one after another. */
export function writeShard(path, pages) {
  const join = (arrays) =>
    Buffer.concat(arrays.map((array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength)));
  const head = Int32Array.from([pages.length, ...pages.map(({ count }) => count)]);
  const parts = [
    join([head]),
    join(pages.map(({ grams }) => Uint16Array.from(grams))),
    join(pages.map(({ numbers }) => numbers)),
    join(pages.map(({ places }) => places)),
    join(pages.map(({ neighbours }) => Int16Array.from(neighbours))),
    join(pages.map(({ classes }) => classes)),
    join(pages.map(({ groups }) => groups)),
    join(pages.map(({ labels }) => labels)),
  ];
  writeFileSync(path, Buffer.concat(parts));
}

if (process.argv[1]?.endsWith('generate.mjs')) {
  const [first, count, out] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]];
  mkdirSync(out, { recursive: true });
  let browser = await openBrowser();
  const open = [];
  for (let number = first; number < first + count; number += BATCH) {
    const numbers = Array.from({ length: BATCH }, (_, i) => number + i);
    const composed = numbers.map(composePage);
    const read = await browser.read(composed);
    for (const [i, page] of read.entries()) {
      const made = encodePrinted(page, numbers[i]);
      if (made) open.push(made);
    }
    while (open.length >= SHARD) writeShard(join(out, `${String(number).padStart(7, '0')}.bin`), open.splice(0, SHARD));
    // Chromium keeps memory of earlier documents.
    if ((number - first) % 4000 === 3980) {
      await browser.close();
      browser = await openBrowser();
    }
  }
  if (open.length > 0) writeShard(join(out, `${String(first + count).padStart(7, '0')}.bin`), open);
  await browser.close();
}
