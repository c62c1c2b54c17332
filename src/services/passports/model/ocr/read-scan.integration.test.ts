import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDrawing } from '../../../../../test/support/ocr/drawing.ts';
import { addShadow, FORM_WORDS, renderForm, renderPage } from '../../../../../test/support/ocr/form.ts';
import { requireTool } from '../../../../../test/support/require.ts';
import { quarterTurn, type ReadPage, toPageBox } from '../../page-geometry.ts';
import type { GrayImage, Raster } from './grayscale.ts';
import { openScanReader, type ScanReader, type ScanResult } from './read-scan.ts';
import { warp } from './warp.ts';

const A5 = { width: 420, height: 595 };
const signal = AbortSignal.timeout(120_000);
const raster = ({ width, height, data }: GrayImage): Raster => ({ width, height, data, channels: 1 });
const read = (reader: ScanReader, grey: GrayImage, size = A5) => reader.read(raster(grey), { size, signal });

/** The share of the form's words that were recognized. */
function shareOf({ words }: ScanResult): number {
  const found = words.map(({ text }) => text);
  const known = FORM_WORDS.filter((word) => {
    const at = found.indexOf(word);
    if (at >= 0) found.splice(at, 1);
    return at >= 0;
  });
  return known.length / FORM_WORDS.length;
}

let form: GrayImage;
beforeAll(async () => {
  form = await renderForm();
});

describe('the scan reader with an installed Tesseract', () => {
  let reader: ScanReader | undefined;
  afterAll(() => reader?.close());

  async function withTesseract(context: { skip(note?: string): never }): Promise<ScanReader> {
    const tesseract = requireTool('tesseract', context);
    if (!/^rus$/m.test(execFileSync(tesseract, ['--list-langs'], { encoding: 'utf8' })))
      context.skip('The Russian model is not installed.');
    reader ??= await openScanReader({ tesseract, concurrency: 2 });
    return reader;
  }

  it('returns the words of a form and the rules of its table', async (context) => {
    const scan = await read(await withTesseract(context), form);
    expect(shareOf(scan)).toBeGreaterThan(0.95);
    expect(scan.turn).toBe(0);
    const horizontal = scan.rules.filter(([x0, y0, x1, y1]) => x1 - x0 > y1 - y0);
    // Three underlined answers and five table rules; four vertical rules for three columns.
    expect([horizontal.length, scan.rules.length - horizontal.length]).toEqual([8, 4]);
  });

  it('reads a form under a shadow', { tags: ['full'] }, async (context) => {
    expect(shareOf(await read(await withTesseract(context), addShadow(form)))).toBeGreaterThan(0.9);
  });

  it('reads a rotated form and maps words to the original page', {
    tags: ['full'],
    timeout: 60_000,
  }, async (context) => {
    const tesseract = await withTesseract(context);
    for (const turn of [90, 180, 270] as const) {
      const [width, height] = turn === 180 ? [form.width, form.height] : [form.height, form.width];
      // Rotating the result by `turn` makes it upright.
      const back = quarterTurn((360 - turn) as typeof turn, form);
      const size = turn === 180 ? A5 : { width: A5.height, height: A5.width };
      const scan = await read(tesseract, warp(form, back, width, height), size);
      expect(scan.turn).toBe(turn);
      expect(shareOf(scan)).toBeGreaterThan(0.95);
      expect(scan.reading.height).toBeGreaterThan(scan.reading.width);
      const year = scan.words.find(({ text }) => text === '1987')!;
      const [x0, y0, x1, y1] = toPageBox(scan as unknown as ReadPage, year.box);
      // On the upright page the year is at x 170..193 and y 140..155 pt.
      const place = {
        90: [140 / 595, 1 - 193 / 420],
        180: [1 - 193 / 420, 1 - 155 / 595],
        270: [1 - 155 / 595, 170 / 420],
      }[turn];
      expect([x0, y0]).toEqual(place.map((share) => expect.closeTo(share, 1)));
      expect((x1 - x0) * (y1 - y0)).toBeLessThan(0.004);
    }
  });

  it('reads lines with one character per box as words', async (context) => {
    const cell = (character: string) => ({ text: character, alignment: 'center' as const });
    const boxed = (text: string, y: number) => ({
      absolutePosition: { x: 40, y },
      table: { widths: [...text].map(() => 8), heights: 14, body: [[...text].map(cell)] },
      layout: { paddingLeft: () => 2, paddingRight: () => 2, paddingTop: () => 1, paddingBottom: () => 1 },
    });
    const content = [
      { text: 'Собственник помещения', absolutePosition: { x: 40, y: 40 } },
      boxed('МАРИЯ КУЗНЕЦОВА  ', 60),
      boxed('24:17:0310204:88    ', 100),
    ];
    const page = await renderPage({ pageSize: 'A5', content }, 200);
    const { words, rules } = await read(await withTesseract(context), page);
    const texts = words.map(({ text }) => text);
    expect(texts).toEqual(['Собственник', 'помещения', 'МАРИЯ', 'КУЗНЕЦОВА', '24:17:0310204:88']);
    const name = words[3]!.box;
    // The seventh to the fifteenth of boxes that are 13 points apart.
    expect(name[0] * A5.width).toBeCloseTo(40 + 6 * 13 + 4, -1);
    expect(name[2] * A5.width).toBeCloseTo(40 + 15 * 13 - 4, -1);
    const vertical = rules.filter(([x0, y0, x1, y1]) => x1 - x0 < y1 - y0);
    expect(vertical).toHaveLength(4);
  });

  it('reads column headings that run upwards or downwards', { tags: ['full'] }, async (context) => {
    const tesseract = await withTesseract(context);
    const at = (x: number, y: number) => ({ absolutePosition: { x, y } });
    const pageSize = { width: 400, height: 400 };
    const render = (content: object[]) => renderPage({ pageSize, content }, 200);
    const lines = ['Общие сведения о доме', 'Инвентарный номер дела', 'Оценка стоимости'];
    const page = await render(lines.map((text, i) => ({ text, ...at(140, 170 + 30 * i) })));
    const headings = await render(
      ['Год постройки', 'Материал стен'].map((text, i) => ({ text, ...at(60, 40 + 20 * i) })),
    );
    for (const turn of [90, 270] as const) {
      const turned = warp(headings, quarterTurn(turn, headings), headings.height, headings.width);
      const data = page.data.map((light, pixel) => Math.min(light, turned.data[pixel]!));
      const { words } = await read(tesseract, { ...page, data }, pageSize);
      const high = words.filter(({ box: [x0, y0, x1, y1] }) => y1 - y0 > 1.1 * (x1 - x0));
      expect(high.map(({ text }) => text).sort()).toEqual(['Год', 'Материал', 'постройки', 'стен']);
      expect(words).toHaveLength(13);
      // 60 to 135 points from the left before the turn, which leaves it on the right edge or, upwards, on the left one.
      const [x0, y0] = high.find(({ text }) => text === 'постройки')!.box;
      expect(x0 > 0.5).toBe(turn === 90);
      expect(y0 < 0.5).toBe(turn === 90);
    }
  });

  it('returns no words for a blank page', async (context) => {
    const scan = await read(await withTesseract(context), createDrawing(600, 800));
    expect(scan).toMatchObject({ words: [], rules: [], turn: 0 });
  });

  it("rejects with the signal's reason when aborted", async (context) => {
    const tesseract = await withTesseract(context);
    const stop = new AbortController();
    const reading = tesseract.read(raster(form), { size: A5, signal: stop.signal });
    stop.abort(new Error('deleted'));
    await expect(reading).rejects.toThrow('deleted');
  });
});

describe('the scan reader with the bundled Tesseract.js', () => {
  it('reads a Russian form with the Kyrgyz model', { tags: ['full'] }, async () => {
    const reader = await openScanReader({ tesseract: 'none', concurrency: 1 });
    try {
      expect(reader.name).toBe('tesseract.js kir+eng');
      expect(shareOf(await read(reader, form))).toBeGreaterThan(0.85);
    } finally {
      await reader.close();
    }
  });
});
