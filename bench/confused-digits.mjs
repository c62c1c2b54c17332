// Digits that the OCR confuses, in a font that the forms of an office use.
// node --import ./test/support/read-types.mjs bench/confused-digits.mjs [FONT] [registry|system] [DIGITS]
//   Prints areas, years and numbers, three quarters of whose digits are DIGITS (35), regular and bold, 8 to 14 pt, reads them
//   at 200 dpi, clean and as scans, and counts DIGITS that are read as each other, all and in words with a confidence from 0.95.
import './help.mjs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { alignWords } from '../src/ml/speech/word-errors/word-errors.ts';
import { openScanReader } from '../src/services/passports/model/ocr/read-scan.ts';
import { openPdf } from '../src/services/passports/model/pages/pdf.ts';
import { simulateScan } from '../test/passports/accuracy/degrade.ts';
import { createRandom } from '../test/passports/accuracy/random.ts';

const [font = 'PT Sans', ocr = 'registry', digits = '35'] = process.argv.slice(2);
const LINES = ['Площадь ##,# м²', 'Год постройки 19##', 'Инвентарный № ####-##', 'Высота #,## м', 'Цена ### ###'];
const { signal } = new AbortController();
const random = createRandom(1);
const digit = () => (random.chance(0.75) ? random.pick(digits) : `${random.integer(0, 9)}`);
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const reader = await openScanReader(ocr === 'registry' ? { tesseract: 'none' } : {});
const path = join(await mkdtemp(join(tmpdir(), 'digits-')), 'page.pdf');

async function readPage(style, lines, isScan) {
  const page = await browser.newPage();
  await page.setContent(`<p style="font:${style};line-height:1.4">${lines.join('<br>')}`);
  await writeFile(path, await page.pdf({ format: 'A4', margin: { top: '15mm', left: '20mm' } }));
  await page.close();
  const pdf = await openPdf(path, { maxPages: 1, signal });
  const raster = await pdf.render(1, { dpi: 200, maxPixels: 2e7 }, signal);
  await pdf.close();
  const picture = isScan ? sharp(await simulateScan(raster, random)) : sharp(raster.data, { raw: raster }).greyscale();
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  return (await reader.read({ ...info, data }, { size: { width: 595, height: 842 }, signal })).words;
}

for (const weight of ['normal', 'bold'])
  for (const isScan of [false, true]) {
    const counts = { digits: 0, confused: 0, sure: 0 };
    for (const size of [8, 9, 10, 11, 12, 14]) {
      const lines = Array.from({ length: 35 }, (_, i) => LINES[i % LINES.length].replaceAll('#', digit));
      const words = await readPage(`${weight} ${size}pt '${font}'`, lines, isScan);
      const found = words.flatMap(({ text, confidence }) => [...text].map((character) => ({ character, confidence })));
      const printed = [...lines.join('').replaceAll(' ', '')];
      const readings = found.map(({ character }) => character);
      const steps = alignWords(printed, readings).filter(({ kind }) => kind !== 'missing');
      counts.digits += printed.filter((character) => digits.includes(character)).length;
      for (const [i, { kind, at }] of steps.entries()) {
        const { character, confidence } = found[i];
        if (kind !== 'replaced' || !digits.includes(printed[at]) || !digits.includes(character)) continue;
        counts.confused++;
        if (confidence >= 0.95) counts.sure++;
      }
    }
    console.log(`${font}, ${weight}, ${isScan ? 'scan' : 'clean'}:`, JSON.stringify(counts));
  }
await Promise.all([reader.close(), browser.close(), rm(join(path, '..'), { recursive: true })]);
