import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../../../src/base/random.ts';
import { type GrayImage, toGrayscale } from '../../../src/services/passports/model/ocr/grayscale.ts';
import { openPdf } from '../../../src/services/passports/model/pages/pdf.ts';

/** The words on {@link renderForm}, in reading order. */
export const FORM_WORDS =
  'Технический паспорт Адрес: г. Щёлково, пер. Южный, д. 36 Кадастровый номер: 67:55:8668419:1021 Год постройки: 1987 № Назначение Площадь 1 кухня 7,2 2 жилая комната 17,3 3 балкон 3,5'.split(
    ' ',
  );

/** Renders an A5 page of a technical passport: a title, underlined answers and a ruled table with a column of single digits. */
export const renderForm = (): Promise<GrayImage> => renderPage({ pageSize: 'A5', content: formContent() }, 200);

/** Renders the first page of a pdfmake document in PT Sans. */
export async function renderPage(definition: object, dpi: number): Promise<GrayImage> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-form-'));
  try {
    const path = join(folder, 'form.pdf');
    await writeFile(path, await createPdf(definition));
    const signal = AbortSignal.timeout(30_000);
    const pdf = await openPdf(path, { maxPages: 1, signal });
    try {
      return toGrayscale(await pdf.render(1, { dpi, maxPixels: 2e7 }, signal));
    } finally {
      await pdf.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Adds the shadow and the sensor noise of a phone photo. */
export function addShadow({ width, height, data }: GrayImage): GrayImage {
  const random = createRandom(7);
  const shadowed = data.map((light, pixel) => {
    const x = (pixel % width) / width;
    const y = pixel / width / height;
    const shade = 0.85 - 0.4 / (1 + Math.exp((0.55 - x + 0.2 * y) * 25));
    return Math.max(0, Math.min(255, (24 + light * 0.85) * shade + (random() + random() - 1) * 14));
  });
  return { width, height, data: shadowed };
}

interface PdfMake {
  setFonts(fonts: object): void;
  setUrlAccessPolicy(allows: () => boolean): void;
  setLocalAccessPolicy(allows: () => boolean): void;
  createPdf(definition: object): { getBuffer(): Promise<Buffer> };
}

function createPdf(definition: object): Promise<Buffer> {
  const require = createRequire(import.meta.url);
  const pdfmake = require('pdfmake') as PdfMake;
  const font = (weight: string) => require.resolve(`@expo-google-fonts/pt-sans/${weight}/PTSans_${weight}.ttf`);
  pdfmake.setFonts({ Sans: { normal: font('400Regular'), bold: font('700Bold') } });
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy(() => true);
  return pdfmake.createPdf({ defaultStyle: { font: 'Sans', fontSize: 11 }, ...definition }).getBuffer();
}

function formContent(): object[] {
  const answer = (y: number, label: string, value: string) => [
    { text: label, absolutePosition: { x: 40, y } },
    { text: value, absolutePosition: { x: 170, y } },
    {
      canvas: [{ type: 'line', x1: 165, y1: 0, x2: 385, y2: 0, lineWidth: 0.7 }],
      absolutePosition: { x: 0, y: y + 15 },
    },
  ];
  const rows = [
    ['№', 'Назначение', 'Площадь'],
    ['1', 'кухня', '7,2'],
    ['2', 'жилая комната', '17,3'],
    ['3', 'балкон', '3,5'],
  ];
  return [
    { text: 'Технический паспорт', fontSize: 16, absolutePosition: { x: 130, y: 45 } },
    ...answer(90, 'Адрес:', 'г. Щёлково, пер. Южный, д. 36'),
    ...answer(115, 'Кадастровый номер:', '67:55:8668419:1021'),
    ...answer(140, 'Год постройки:', '1987'),
    { absolutePosition: { x: 40, y: 190 }, table: { widths: [25, 180, 100], body: rows } },
  ];
}
