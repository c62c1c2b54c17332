import { expect, it } from 'vitest';
import { createDrawing } from '../../../../../test/support/ocr/drawing.ts';
import { flattenBackground } from './background.ts';

it('flattenBackground turns shaded paper white and keeps the contrast of the text', () => {
  const page = createDrawing(600, 400);
  for (let x = 40; x < 560; x += 30) page.box(x, 180, 6, 40, 90);
  const shadow = (x: number) => 0.95 - 0.55 / (1 + Math.exp((300 - x) / 40));
  for (let pixel = 0; pixel < page.data.length; pixel++) page.data[pixel]! *= shadow(pixel % 600);

  const flat = flattenBackground(page, 48);

  const at = (x: number, y: number) => flat.data[y * 600 + x]!;
  for (let x = 20; x < 600; x += 30) expect(at(x, 200), `paper at ${x}`).toBeGreaterThan(225);
  for (let x = 43; x < 560; x += 30) expect(Math.abs(at(x, 200) - 90), `ink at ${x}`).toBeLessThan(20);
});
