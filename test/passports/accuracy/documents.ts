import { createRequire } from 'node:module';
import { generateFacts } from './facts.ts';
import type { Drawing, FormLayout, Truth } from './layout.ts';
import { createRandom } from './random.ts';

/** A generated document with its ground truth. */
export interface GeneratedDocument {
  readonly layout: FormLayout;
  readonly pdf: Buffer;
  readonly truth: Truth;
}

/** Generates a passport; deterministic for a seed. */
export async function generatePassport(layout: FormLayout, seed: number): Promise<GeneratedDocument> {
  const random = createRandom(seed * 7919 + seedOf(layout.name));
  const facts = generateFacts(random, layout.rooms);
  const { drawing, truth } = layout.draw(facts, random);
  return { layout, truth, pdf: await renderPdf(drawing) };
}

const seedOf = (name: string): number => [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7);

interface PdfMake {
  setFonts(fonts: Record<string, Record<string, string>>): void;
  setUrlAccessPolicy(allows: () => boolean): void;
  setLocalAccessPolicy(allows: () => boolean): void;
  createPdf(definition: Drawing): { getBuffer(): Promise<Buffer> };
}

const require = createRequire(import.meta.url);
const pdfmake = require('pdfmake') as PdfMake;
const sans = (weight: string) => require.resolve(`@expo-google-fonts/pt-sans/${weight}/PTSans_${weight}.ttf`);
const roboto = (weight: string) => require.resolve(`pdfmake/fonts/Roboto/Roboto-${weight}.ttf`);
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy(() => true);

async function renderPdf(drawing: Drawing): Promise<Buffer> {
  pdfmake.setFonts({
    Sans: {
      normal: sans('400Regular'),
      bold: sans('700Bold'),
      italics: sans('400Regular_Italic'),
      bolditalics: sans('700Bold_Italic'),
    },
    Roboto: {
      normal: roboto('Regular'),
      bold: roboto('Medium'),
      italics: roboto('Italic'),
      bolditalics: roboto('MediumItalic'),
    },
  });
  const style = { font: 'Sans', fontSize: 11, ...(drawing['defaultStyle'] as Drawing | undefined) };
  return pdfmake
    .createPdf({ pageSize: 'A4', pageMargins: [45, 45, 45, 45], ...drawing, defaultStyle: style })
    .getBuffer();
}
