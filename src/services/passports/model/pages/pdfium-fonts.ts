import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Pdfium } from './pdfium.ts';

/**
 * Gives the library letters for fonts that a PDF names but does not hold: its own have no Cyrillic ones, and what has no
 * letters is left white, as in the pictures of many Russian documents that count on Arial being there. All such text
 * is set in PT Sans, upright or not, bold or not, stretched by the library to the widths that the PDF gives.
 */
export function lendFonts(pdfium: Pdfium): void {
  const { call } = pdfium;
  const info = call.malloc(36);
  // The fields of FPDF_SYSFONTINFO: its version, then its functions; those that are 0 are not called.
  const fields = [
    1,
    0,
    0,
    pdfium.callback((_self, weight, italic) => 1 + (weight! >= BOLD ? 1 : 0) + (italic ? 2 : 0), 'iiiiiiii'),
    pdfium.callback(() => 0, 'iii'),
    pdfium.callback((_self, font, table, to, size) => {
      const bytes = table === WHOLE_FILE ? fileOf(font! - 1) : undefined;
      if (bytes && size! >= bytes.length) pdfium.bytes().set(bytes, to);
      return bytes?.length ?? 0;
    }, 'iiiiii'),
    pdfium.callback(() => 0, 'iiiii'),
    pdfium.callback(() => ANY_CHARSET, 'iii'),
    0,
  ];
  new Uint32Array(pdfium.bytes().buffer, info, fields.length).set(fields);
  call.FPDF_SetSystemFontInfo(info);
}

const BOLD = 600;
const WHOLE_FILE = 0;
const ANY_CHARSET = 1;

const require = createRequire(import.meta.url);
const FILES = [
  () => require.resolve('@expo-google-fonts/pt-sans/400Regular/PTSans_400Regular.ttf'),
  () => require.resolve('@expo-google-fonts/pt-sans/700Bold/PTSans_700Bold.ttf'),
  () => require.resolve('@expo-google-fonts/pt-sans/400Regular_Italic/PTSans_400Regular_Italic.ttf'),
  () => require.resolve('@expo-google-fonts/pt-sans/700Bold_Italic/PTSans_700Bold_Italic.ttf'),
];
const read: (Buffer | undefined)[] = [];

function fileOf(font: number): Buffer | undefined {
  const path = FILES[font];
  if (path) read[font] ??= readFileSync(path());
  return read[font];
}
