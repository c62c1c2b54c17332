import type { Pdfium } from './pdfium.ts';
import type { OpenPage } from './pdfium-document.ts';

/** Pixels, row by row without gaps: 1 byte each (grey) or 3 (red, green, blue). */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  readonly data: Uint8Array;
}

export interface RasterSize {
  readonly dpi: number;
  /** A page that would have more is drawn smaller. */
  readonly maxPixels: number;
  /** One channel instead of three: a third of the bytes. */
  readonly grey?: boolean;
}

/** The page as it is shown, on white. */
export function renderPage({ call, bytes }: Pdfium, page: OpenPage, size: RasterSize): Raster {
  const { width, height } = rasterOf(page, size);
  const channels = size.grey ? 1 : 3;
  // Rows begin at multiples of four.
  const stride = Math.ceil((width * channels) / 4) * 4;
  const room = call.malloc(stride * height);
  if (!room) throw new RangeError('The page is larger than the memory.');
  const bitmap = call.FPDFBitmap_CreateEx(width, height, size.grey ? FORMAT.grey : FORMAT.bgr, room, stride);
  try {
    if (!bitmap) throw new RangeError('The page is larger than the memory.');
    call.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    const flags = FLAG.notes | (size.grey ? FLAG.grey : FLAG.redFirst);
    call.FPDF_RenderPageBitmap(bitmap, page.handle, 0, 0, width, height, 0, flags);
    return {
      width,
      height,
      channels,
      data: packed(bytes().subarray(room, room + stride * height), width * channels, height),
    };
  } finally {
    if (bitmap) call.FPDFBitmap_Destroy(bitmap);
    call.free(room);
  }
}

/** The size of a page's raster: by its resolution, and smaller where that is too much. */
export function rasterOf(
  page: { width: number; height: number },
  { dpi, maxPixels }: RasterSize,
): { width: number; height: number } {
  // A page of no size is shown as a point; one that is a hair wide must not become a line of a million pixels.
  const [wide, high] = [Math.max(page.width, 1), Math.max(page.height, 1)];
  const scale = Math.min(dpi / 72, Math.sqrt(maxPixels / (wide * high)), MAX_SIDE / Math.max(wide, high));
  return { width: Math.max(1, Math.floor(wide * scale)), height: Math.max(1, Math.floor(high * scale)) };
}

const FORMAT = { grey: 1, bgr: 2 } as const;
const FLAG = { notes: 0x01, grey: 0x08, redFirst: 0x10 } as const;
const WHITE = 0xffffffff;
// Of JPEG.
const MAX_SIDE = 65_000;

function packed(rows: Uint8Array, rowBytes: number, height: number): Uint8Array {
  const stride = rows.length / height;
  const data = new Uint8Array(rowBytes * height);
  for (let row = 0; row < height; row++) {
    data.set(rows.subarray(row * stride, row * stride + rowBytes), row * rowBytes);
  }
  return data;
}
