import { expect, it } from 'vitest';
import { renderPage } from '../../../../../test/support/ocr/form.ts';
import { preprocessPage } from './preprocess.ts';

it('finds grey print as small as the labels of coloured forms', { tags: ['full'] }, async () => {
  const at = (y: number) => ({ absolutePosition: { x: 60, y } });
  const content = [
    { canvas: [{ type: 'rect', x: 0, y: 0, w: 400, h: 40, color: '#f3f6f8' }], ...at(95) },
    { text: 'Год завершения строительства', fontSize: 6.8, color: '#8b979f', ...at(100) },
    { text: 'Объект капитального строительства', fontSize: 10, ...at(112) },
  ];
  const page = await renderPage({ pageSize: 'A4', content }, 200);
  const { lines, view } = preprocessPage(page);
  const inPoints = ({ top, bottom }: { top: number; bottom: number }) => ((top + bottom) / 2) * (842 / view.height);
  const found = lines.map(({ region }) => inPoints(region)).sort((a, b) => a - b);
  expect(found).toHaveLength(2);
  expect(found[0]).toBeCloseTo(105, -1);
  expect(found[1]).toBeCloseTo(120, -1);
});
