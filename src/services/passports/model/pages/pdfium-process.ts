// A process that reads one PDF: started by pdf.ts, asked one thing at a time, ended with the document. A hostile file can
// cost this process and nothing else.
import type { ReadPage } from '../../page.ts';
import { loadPdfium } from './pdfium.ts';
import { type OpenPage, openDocument, type PdfProblem, withPage } from './pdfium-document.ts';
import { drawingOf } from './pdfium-drawing.ts';
import { pixelsOf, type Raster, type RasterSize, renderPage } from './pdfium-render.ts';
import { glyphsOf } from './pdfium-text.ts';
import { startWatch } from './pdfium-watch.ts';
import { rulesOf } from './rules.ts';
import { isGarbage, turnOf, wordsOf } from './words.ts';

/** What the process is asked. The first question opens the document; pages are counted from 1. */
export type Question =
  | { readonly ask: 'open'; readonly path: string; readonly maxPages: number; readonly cpuSeconds: number }
  | { readonly ask: 'text'; readonly page: number }
  | { readonly ask: 'render'; readonly page: number; readonly size: RasterSize };

/** What it answers: `damaged` when this page of a document that has others cannot be opened. */
export type Answer =
  | { readonly opened: number }
  | { readonly text: ReadPage; readonly damaged: boolean }
  | { readonly raster: Raster; readonly damaged: boolean }
  | { readonly problem: PdfProblem }
  | { readonly error: string };

// The file, its largest pictures unpacked, a page of pixels; with the process around it below 2 GiB.
const MAX_MEMORY_BYTES = 2 ** 30;
// 600 dpi of A0 in black and white has 560 million; more is made to be unpacked.
const MAX_IMAGE_PIXELS = 600e6;
// A stamp or a number that was printed on a scan; a page of text that stands on a background has more words.
const STAMP_WORDS = 60;
const SCAN_SHARE = 0.6;
const A4 = { width: 595, height: 842 };

const watch = startWatch();
const pdfium = await loadPdfium({ maxBytes: MAX_MEMORY_BYTES });
let document = 0;
let cpuSeconds = 0;
// Pixels of the largest picture of each page that was walked through.
const largest = new Map<number, number>();

process.on('message', (question: Question) => {
  if (question.ask === 'open') cpuSeconds = question.cpuSeconds;
  watch.begin(cpuSeconds);
  const answer = answered(question);
  watch.end();
  process.send!(answer, () => {
    // Memory in which a call was cut short is not used again.
    if ('problem' in answer || 'error' in answer) process.exit();
  });
});
process.on('disconnect', () => process.exit());

function answered(question: Question): Answer {
  try {
    return answerTo(question);
  } catch (error) {
    // A trap of the library, or memory or a stack that has come to its end.
    const tooMuch = error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError');
    return tooMuch ? { problem: 'too_complex' } : { error: error instanceof Error ? error.message : String(error) };
  }
}

function answerTo(question: Question): Answer {
  switch (question.ask) {
    case 'open': {
      const opened = openDocument(pdfium, question);
      if ('problem' in opened) return opened;
      document = opened.document;
      return { opened: opened.pages };
    }
    case 'text':
      return (
        withPage(pdfium, document, question.page - 1, (page) => ({
          text: read(page, question.page),
          damaged: false,
        })) ?? {
          text: { page: question.page, ...A4, turn: 0, words: [], rules: [], reader: 'text' },
          damaged: true,
        }
      );
    case 'render': {
      const { size } = question;
      return (
        withPage(pdfium, document, question.page - 1, (page): Answer => {
          // Asked before it is painted: unpacking is what costs.
          const pixels = largest.get(question.page) ?? drawingOf(pdfium, page).pixels;
          if (pixels > MAX_IMAGE_PIXELS) return { problem: 'too_complex' };
          return { raster: renderPage(pdfium, page, size), damaged: false };
        }) ?? { raster: blank(size), damaged: true }
      );
    }
  }
}

function read(page: OpenPage, number: number): ReadPage {
  const drawing = drawingOf(pdfium, page);
  largest.set(number, drawing.pixels);
  const glyphs = glyphsOf(pdfium, page, drawing.covered);
  const words = isGarbage(glyphs) ? [] : wordsOf(glyphs, page);
  const isScan = drawing.picture >= SCAN_SHARE && words.length < STAMP_WORDS;
  return {
    page: number,
    width: page.width,
    height: page.height,
    turn: turnOf(glyphs),
    words: isScan ? [] : words,
    rules: rulesOf(drawing.strokes, page),
    reader: 'text',
  };
}

function blank(size: RasterSize): Raster {
  const { width, height } = pixelsOf(A4, size);
  const channels = size.grey ? 1 : 3;
  return { width, height, channels, data: new Uint8Array(width * height * channels).fill(255) };
}
