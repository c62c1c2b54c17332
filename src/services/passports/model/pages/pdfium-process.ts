// Reads one PDF at a time in a separate process, which a malicious file may crash.
import sharp from 'sharp';
import { StorageUnavailable, toStorageError } from '../../../../base/files/storage-unavailable.ts';
import { projectBox, type ReadPage, type Turn, uprightFrame } from '../../page-geometry.ts';
import { toGrayscale } from '../ocr/grayscale.ts';
import { takeCheckBoxes } from './drawn-boxes.ts';
import { encodePicture, pictureSize } from './page-picture.ts';
import { detectTurn, groupWords, isGarbled } from './page-words.ts';
import { loadPdfium, saveState } from './pdfium.ts';
import { type OpenDocument, type OpenPage, openDocument, type PdfProblem } from './pdfium-document.ts';
import { type Drawing, readDrawing } from './pdfium-drawing.ts';
import { provideFonts } from './pdfium-fonts.ts';
import { type Raster, type RasterSize, rasterSize, renderPage } from './pdfium-render.ts';
import { readGlyphs } from './pdfium-text.ts';
import { startCpuWatchdog } from './pdfium-watch.ts';
import { rulesFromStrokes } from './rules.ts';

export type PageRequest =
  | { readonly type: 'text'; readonly page: number }
  | { readonly type: 'render'; readonly page: number; readonly size: RasterSize }
  | { readonly type: 'picture'; readonly page: number }
  | { readonly type: 'scan'; readonly page: number; readonly size: RasterSize };
export type PdfRequest =
  | { readonly type: 'open'; readonly path: string; readonly maxPages: number; readonly cpuSeconds: number }
  | PageRequest
  | { readonly type: 'close' };

export interface PdfResult {
  /** `open`: the number of pages; `close`: the memory in use, in bytes; otherwise what {@link Pdf} returns. */
  readonly value: number | ReadPage | Raster | Buffer | Scan;
  /** The page cannot be opened. */
  readonly damaged?: boolean;
}
export type PdfResponse =
  | PdfResult
  | { readonly problem: PdfProblem }
  /** The file cannot be read. */
  | { readonly unavailable: string }
  | { readonly error: string };

export interface Scan {
  /** Grayscale. */
  readonly raster: Raster;
  /** A JPEG for display. */
  readonly picture: Buffer;
}

// Keeps the process below 2 GiB.
const MAX_MEMORY_BYTES = 2 ** 30;
// A0 at 600 dpi has 560 million; more is a decompression bomb.
const MAX_IMAGE_PIXELS = 600e6;
// Scans may have the words of a stamp.
const MIN_TEXT_WORDS = 60;
const MIN_SCAN_SHARE = 0.6;
/** The image may have a mask with more pixels. */
const MIN_SCAN_DPI = 150;
const A4 = { width: 595, height: 842 };

// Ctrl+C also signals this process, but the parent decides when it ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

sharp.cache(false);
sharp.concurrency(1);

const watch = startCpuWatchdog();
const drawings = new WeakMap<OpenPage, Drawing>();
let { pdfium, restore } = await load();
let document: OpenDocument | undefined;
let cpuSeconds = 0;

process.on('message', (request: PdfRequest) => void handle(request));
process.on('disconnect', () => process.exit());

async function handle(request: PdfRequest): Promise<void> {
  if (request.type === 'open') cpuSeconds = request.cpuSeconds;
  watch.begin(cpuSeconds);
  const response = request.type === 'close' ? await closeDocument() : await tryRespond(request);
  watch.end();
  process.send!(response, () => {
    // The state of the library may be inconsistent.
    if (!('value' in response)) process.exit();
  });
}

async function load() {
  const pdfium = await loadPdfium({ maxBytes: MAX_MEMORY_BYTES });
  provideFonts(pdfium);
  return { pdfium, restore: saveState(pdfium) };
}

async function closeDocument(): Promise<PdfResponse> {
  document?.close();
  document = undefined;
  if (!restore()) ({ pdfium, restore } = await load());
  return { value: process.memoryUsage.rss() };
}

type DocumentRequest = Exclude<PdfRequest, { type: 'close' }>;

async function tryRespond(request: DocumentRequest): Promise<PdfResponse> {
  try {
    return await respond(request);
  } catch (error) {
    // A WebAssembly trap, or exhausted memory or stack.
    const unavailable = toStorageError(error);
    if (unavailable instanceof StorageUnavailable) return { unavailable: unavailable.reason };
    const isTooComplex = error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError');
    return isTooComplex
      ? { problem: 'too_complex' }
      : { error: error instanceof Error ? error.message : String(error) };
  }
}

async function respond(request: DocumentRequest): Promise<PdfResponse> {
  if (request.type === 'open') {
    const opened = openDocument(pdfium, request);
    if ('problem' in opened) return opened;
    document = opened;
    return { value: opened.pages };
  }
  const page = document?.page(request.page - 1);
  // Drawing decompresses the images.
  const isBomb = page && request.type !== 'text' && drawing(page).largestImagePixels > MAX_IMAGE_PIXELS;
  return isBomb ? { problem: 'too_complex' } : { value: await read(page, request), damaged: !page };
}

async function read(page: OpenPage | undefined, request: PageRequest): Promise<PdfResult['value']> {
  if (request.type === 'text') {
    if (page) return readText(page, request.page);
    return { page: request.page, ...A4, turn: 0, words: [], rules: [], reader: 'text' };
  }
  const raster = draw(page, sizeFor(page, request));
  if (request.type === 'render') return raster;
  // Avoids copying megabytes of pixels between processes.
  const picture = await encodePicture(raster);
  return request.type === 'picture' ? picture : { raster: { ...toGrayscale(raster), channels: 1 }, picture };
}

/** A page with nothing but an image is drawn in its resolution, up to that of the request: later steps resample it. */
function sizeFor(page: OpenPage | undefined, request: Exclude<PageRequest, { type: 'text' }>): RasterSize {
  if (request.type === 'picture') return pictureSize(page ?? A4);
  if (request.type === 'render' || !page) return request.size;
  const { imageShare, onlyImageDpi = 0 } = drawing(page);
  const isScan = imageShare >= MIN_SCAN_SHARE && onlyImageDpi >= MIN_SCAN_DPI;
  return isScan ? { ...request.size, dpi: Math.min(request.size.dpi, onlyImageDpi) } : request.size;
}

/** White if the page cannot be opened. */
function draw(page: OpenPage | undefined, size: RasterSize): Raster {
  if (page) return renderPage(pdfium, page, size);
  const { width, height } = rasterSize(A4, size);
  const channels = size.grey ? 1 : 3;
  return { width, height, channels, data: new Uint8Array(width * height * channels).fill(255) };
}

function readText(page: OpenPage, pageNumber: number): ReadPage {
  const { coveredTexts, imageShare, strokes: drawn } = drawing(page);
  const read = readGlyphs(pdfium, page, coveredTexts);
  const { glyphs, boxes, strokes } = takeCheckBoxes(read, drawn, page);
  const text = isGarbled(glyphs) ? [] : groupWords(glyphs, page);
  const words = text.length > 0 ? [...text, ...boxes] : [];
  const isScan = imageShare >= MIN_SCAN_SHARE && words.length < MIN_TEXT_WORDS;
  return toReadingFrame({
    page: pageNumber,
    width: page.width,
    height: page.height,
    turn: isScan ? 0 : detectTurn(glyphs),
    words: isScan ? [] : words,
    rules: rulesFromStrokes(strokes, page),
    reader: 'text',
  });
}

/** Maps words and rules to the upright frame. */
function toReadingFrame(page: ReadPage): ReadPage {
  const { width, height, turn, words, rules } = page;
  if (turn === 0) return page;
  const { toPage: fromPage } = uprightFrame(width, height, ((360 - turn) % 360) as Turn);
  return {
    ...page,
    reading: uprightFrame(width, height, turn),
    words: words.map((word) => ({ ...word, box: projectBox(fromPage, word.box) })),
    rules: rules.map((rule) => projectBox(fromPage, rule)),
  };
}

function drawing(page: OpenPage): Drawing {
  const result = drawings.get(page) ?? readDrawing(pdfium, page);
  drawings.set(page, result);
  return result;
}
