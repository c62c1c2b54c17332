import { expect, it } from 'vitest';
import { createDrawing } from '../../../../../test/support/ocr/drawing.ts';
import { reverseDarkAreas } from './reversed-text.ts';

const [WIDTH, HEIGHT] = [1200, 1000];

/** A page at 300 dpi with a line of dark print, and `draw` on it. */
function pageWith(draw: (page: ReturnType<typeof createDrawing>) => void) {
  const page = createDrawing(WIDTH, HEIGHT);
  for (let x = 100; x < 1100; x += 30) page.box(x, 600, 6, 40, 40);
  draw(page);
  return page;
}

/** Light strokes on a bar. */
function bar(page: ReturnType<typeof createDrawing>, { top = 100, height = 100, ground = 90 } = {}) {
  page.box(100, top, 1000, height, ground);
  for (let x = 200; x < 900; x += 30) page.box(x, top + 30, 6, 40, 235);
}

it('makes light print on a dark bar dark print on paper, and leaves the rest', () => {
  const page = pageWith(bar);
  const { data } = reverseDarkAreas(page, 300);
  const at = (x: number, y: number) => data[y * WIDTH + x]!;
  expect(at(203, 150)).toBeLessThan(120);
  for (const x of [102, 190, 215, 1000, 1097]) expect(at(x, 150), `ground at ${x}`).toBeGreaterThan(225);
  for (const y of [101, 198]) expect(at(600, y), `rim at ${y}`).toBeGreaterThan(225);
  const below = (from: Uint8Array) => from.subarray(300 * WIDTH);
  expect(Buffer.compare(below(data), below(page.data))).toBe(0);
});

it.each<[string, (page: ReturnType<typeof createDrawing>) => void]>([
  ['dark print', () => {}],
  ['a bar without print', (page) => page.box(100, 100, 1000, 100, 90)],
  [
    'a line of bold print',
    (page) => {
      for (let x = 100; x < 1000; x += 28) page.box(x, 100, 18, 60, 40);
    },
  ],
  [
    'dark print on a dark bar with white rules',
    (page) => {
      page.box(100, 100, 1000, 100, 120);
      for (let x = 200; x < 900; x += 30) page.box(x, 130, 6, 40, 30);
      for (let x = 100; x < 1100; x += 200) page.box(x, 100, 6, 100, 250);
    },
  ],
  ['a thick rule', (page) => bar(page, { height: 20 })],
  ['a light bar', (page) => bar(page, { ground: 190 })],
  [
    'the dark surroundings of a photographed page',
    (page) => {
      page.box(0, 0, WIDTH, 90, 60);
      page.box(0, 0, 90, HEIGHT, 60);
      for (let x = 10; x < 1100; x += 30) page.box(x, 30, 6, 30, 235);
    },
  ],
  [
    'a picture',
    (page) => {
      for (let x = 100; x < 1100; x++) page.box(x, 100, 1, 200, 20 + ((x * 7) % 200));
    },
  ],
])('leaves %s', (_, draw) => {
  const page = pageWith(draw);
  expect(Buffer.compare(reverseDarkAreas(page, 300).data, page.data)).toBe(0);
});
