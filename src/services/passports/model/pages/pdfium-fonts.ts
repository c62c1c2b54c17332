import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Pdfium } from './pdfium.ts';

/** Provides PT Sans for fonts that are not embedded: PDFium's own have no Cyrillic letters, so such text would be blank. */
export function provideFonts(pdfium: Pdfium): void {
  const { call } = pdfium;
  const info = call.malloc(36);
  // The fields of FPDF_SYSFONTINFO: version and callbacks.
  const fields = [
    1,
    0,
    0,
    pdfium.callback((_self, weight, italic) => 1 + (weight! >= BOLD ? 1 : 0) + (italic ? 2 : 0), 'iiiiiiii'),
    pdfium.callback(() => 0, 'iii'),
    pdfium.callback((_self, font, table, to, size) => {
      const bytes = table === WHOLE_FILE ? readFont(font! - 1) : undefined;
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
const cache: (Buffer | undefined)[] = [];

function readFont(font: number): Buffer | undefined {
  const path = FILES[font];
  if (path) cache[font] ??= readFileSync(path());
  return cache[font];
}
