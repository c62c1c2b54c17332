// A process that reads one PDF: started by pdf.ts, asked one thing at a time, ended with the document. A hostile file can
// cost this process and nothing else.
import sharp from 'sharp';
import { projectBox, type ReadPage, type Turn, uprightFrame } from '../../page.ts';
import { greyOf } from '../ocr/grey.ts';
import { loadPdfium, type Pdfium } from './pdfium.ts';
import { type OpenDocument, type OpenPage, openDocument, type PdfProblem } from './pdfium-document.ts';
import { type Drawing, drawingOf } from './pdfium-drawing.ts';
import { lendFonts } from './pdfium-fonts.ts';
import { type Raster, type RasterSize, rasterOf, renderPage } from './pdfium-render.ts';
import { glyphsOf } from './pdfium-text.ts';
import { startWatch } from './pdfium-watch.ts';
import { pictureOf, pictureSize } from './picture.ts';
import { rulesOf } from './rules.ts';
import { isGarbage, turnOf, wordsOf } from './words.ts';

/** What the process is asked: to open a document, for its pages (counted from 1), and to close it before the next. */
export type Question =
  | { readonly ask: 'open'; readonly path: string; readonly maxPages: number; readonly cpuSeconds: number }
  | { readonly ask: 'text'; readonly page: number }
  | { readonly ask: 'render'; readonly page: number; readonly size: RasterSize }
  | { readonly ask: 'picture'; readonly page: number }
  | { readonly ask: 'scan'; readonly page: number; readonly size: RasterSize }
  | { readonly ask: 'close' };

/** What it answers: `damaged` when this page of a document that has others cannot be opened. */
export type Answer =
  | { readonly opened: number }
  | { readonly text: ReadPage; readonly damaged: boolean }
  | { readonly raster: Raster; readonly damaged: boolean }
  | { readonly picture: Buffer; readonly damaged: boolean }
  | { readonly scan: Scan; readonly damaged: boolean }
  | { readonly usedBytes: number }
  | { readonly problem: PdfProblem }
  | { readonly error: string };

/** A page for who reads it by its looks: its lightness, and its picture for people. */
export interface Scan {
  readonly raster: Raster;
  /** A JPEG. */
  readonly picture: Buffer;
}

// The file, its largest pictures unpacked, a page of pixels; with the process around it below 2 GiB.
const MAX_MEMORY_BYTES = 2 ** 30;
// 600 dpi of A0 in black and white has 560 million; more is made to be unpacked.
const MAX_IMAGE_PIXELS = 600e6;
// A stamp or a number that was printed on a scan; a page of text that stands on a background has more words.
const STAMP_WORDS = 60;
const SCAN_SHARE = 0.6;
const A4 = { width: 595, height: 842 };

// Ctrl+C in a terminal reaches this process too: it is its owner who ends it, once the document is done.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

// No picture is drawn twice, and one page is drawn at a time.
sharp.cache(false);
sharp.concurrency(1);

const watch = startWatch();
const drawings = new WeakMap<OpenPage, Drawing>();
// Each document has the library, and with it all memory that it touches, for itself.
let pdfium = await load();
let document: OpenDocument | undefined;
let cpuSeconds = 0;

process.on('message', (question: Question) => void answer(question));
process.on('disconnect', () => process.exit());

async function answer(question: Question): Promise<void> {
  if (question.ask === 'open') cpuSeconds = question.cpuSeconds;
  watch.begin(cpuSeconds);
  const answer = question.ask === 'close' ? await forget() : await answered(question);
  watch.end();
  process.send!(answer, () => {
    // Memory in which a call was cut short is not used again.
    if ('problem' in answer || 'error' in answer) process.exit();
  });
}

async function load(): Promise<Pdfium> {
  const loaded = await loadPdfium({ maxBytes: MAX_MEMORY_BYTES });
  lendFonts(loaded);
  return loaded;
}

async function forget(): Promise<Answer> {
  document?.close();
  document = undefined;
  pdfium = await load();
  return { usedBytes: process.memoryUsage.rss() };
}

type Asked = Exclude<Question, { ask: 'close' }>;

async function answered(question: Asked): Promise<Answer> {
  try {
    return await answerTo(question);
  } catch (error) {
    // A trap of the library, or memory or a stack that has come to its end.
    const tooMuch = error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError');
    return tooMuch ? { problem: 'too_complex' } : { error: error instanceof Error ? error.message : String(error) };
  }
}

async function answerTo(question: Asked): Promise<Answer> {
  if (question.ask === 'open') {
    const opened = openDocument(pdfium, question);
    if ('problem' in opened) return opened;
    document = opened;
    return { opened: opened.pages };
  }
  const page = document?.page(question.page - 1);
  if (question.ask === 'text') {
    if (page) return { text: read(page, question.page), damaged: false };
    return { text: { page: question.page, ...A4, turn: 0, words: [], rules: [], reader: 'text' }, damaged: true };
  }
  // Asked before it is painted: unpacking is what costs.
  if (page && drawn(page).pixels > MAX_IMAGE_PIXELS) return { problem: 'too_complex' };
  const raster = pixelsOf(page, question.ask === 'picture' ? pictureSize(page ?? A4) : question.size);
  const damaged = page === undefined;
  if (question.ask === 'render') return { raster, damaged };
  // Coded here: megabytes of pixels would be copied several times on their way to another process.
  const picture = await pictureOf(raster);
  if (question.ask === 'picture') return { picture, damaged };
  return { scan: { raster: { ...greyOf(raster), channels: 1 }, picture }, damaged };
}

/** The page as it is shown; white where it cannot be opened. */
function pixelsOf(page: OpenPage | undefined, size: RasterSize): Raster {
  if (page) return renderPage(pdfium, page, size);
  const { width, height } = rasterOf(A4, size);
  const channels = size.grey ? 1 : 3;
  return { width, height, channels, data: new Uint8Array(width * height * channels).fill(255) };
}

function read(page: OpenPage, number: number): ReadPage {
  const { covered, picture, strokes } = drawn(page);
  const glyphs = glyphsOf(pdfium, page, covered);
  const words = isGarbage(glyphs) ? [] : wordsOf(glyphs, page);
  const isScan = picture >= SCAN_SHARE && words.length < STAMP_WORDS;
  return upright({
    page: number,
    width: page.width,
    height: page.height,
    turn: isScan ? 0 : turnOf(glyphs),
    words: isScan ? [] : words,
    rules: rulesOf(strokes, page),
    reader: 'text',
  });
}

/** The page with its words and rules as they stand when it is held so that its text runs level. */
function upright(read: ReadPage): ReadPage {
  const { width, height, turn, words, rules } = read;
  if (turn === 0) return read;
  const { toPage: fromPage } = uprightFrame(width, height, ((360 - turn) % 360) as Turn);
  return {
    ...read,
    reading: uprightFrame(width, height, turn),
    words: words.map((word) => ({ ...word, box: projectBox(fromPage, word.box) })),
    rules: rules.map((rule) => projectBox(fromPage, rule)),
  };
}

/** What a page draws, worked out once while it is open. */
function drawn(page: OpenPage): Drawing {
  const drawing = drawings.get(page) ?? drawingOf(pdfium, page);
  drawings.set(page, drawing);
  return drawing;
}
