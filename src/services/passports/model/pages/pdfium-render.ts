import type { Raster as OcrRaster } from '../ocr/grayscale.ts';
import type { Pdfium } from './pdfium.ts';
import type { OpenPage } from './pdfium-document.ts';

/** Pixels by row without padding: 1 byte (grayscale) or 3 bytes (RGB) each. */
export interface Raster extends OcrRaster {
  readonly channels: 1 | 3;
}

export interface RasterSize {
  readonly dpi: number;
  /** Larger pages are scaled down to this. */
  readonly maxPixels: number;
  readonly grey?: boolean;
}

/** Draws the page on white. */
export function renderPage({ call, bytes }: Pdfium, page: OpenPage, size: RasterSize): Raster {
  const { width, height } = rasterSize(page, size);
  const channels = size.grey ? 1 : 3;
  // Rows are aligned to four bytes.
  const stride = Math.ceil((width * channels) / 4) * 4;
  const pixels = call.malloc(stride * height);
  if (!pixels) throw new RangeError('The page is larger than the memory.');
  const bitmap = call.FPDFBitmap_CreateEx(width, height, size.grey ? FORMAT.grey : FORMAT.bgr, pixels, stride);
  try {
    if (!bitmap) throw new RangeError('The page is larger than the memory.');
    call.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    const flags = FLAG.annotations | (size.grey ? FLAG.grey : FLAG.redFirst);
    call.FPDF_RenderPageBitmap(bitmap, page.handle, 0, 0, width, height, 0, flags);
    return {
      width,
      height,
      channels,
      data: removePadding(bytes().subarray(pixels, pixels + stride * height), width * channels, height),
    };
  } finally {
    if (bitmap) call.FPDFBitmap_Destroy(bitmap);
    call.free(pixels);
  }
}

/** The raster size in pixels, within `maxPixels`. */
export function rasterSize(
  page: { width: number; height: number },
  { dpi, maxPixels }: RasterSize,
): { width: number; height: number } {
  // For pages of zero size and extreme aspect ratios.
  const [wide, high] = [Math.max(page.width, 1), Math.max(page.height, 1)];
  const scale = Math.min(dpi / 72, Math.sqrt(maxPixels / (wide * high)), MAX_SIDE / Math.max(wide, high));
  return { width: Math.max(1, Math.floor(wide * scale)), height: Math.max(1, Math.floor(high * scale)) };
}

const FORMAT = { grey: 1, bgr: 2 } as const;
const FLAG = { annotations: 0x01, grey: 0x08, redFirst: 0x10 } as const;
const WHITE = 0xffffffff;
// The maximum of JPEG.
const MAX_SIDE = 65_000;

function removePadding(rows: Uint8Array, rowBytes: number, height: number): Uint8Array {
  const stride = rows.length / height;
  const data = new Uint8Array(rowBytes * height);
  for (let row = 0; row < height; row++) {
    data.set(rows.subarray(row * stride, row * stride + rowBytes), row * rowBytes);
  }
  return data;
}
