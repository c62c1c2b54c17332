import { expect, it } from 'vitest';
import { deltasAfter } from './stream.ts';

const segments = [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }];

it('deltasAfter returns the texts after the sent one, by segment', () => {
  expect(deltasAfter('', segments, ' ')).toEqual(['One.', ' Two.', ' Three.']);
  expect(deltasAfter('One. Two.', segments, ' ')).toEqual([' Three.']);
  expect(deltasAfter('One. T', segments, ' ')).toEqual(['wo.', ' Three.']);
  expect(deltasAfter('One.Two.', segments, '')).toEqual(['Three.']);
});

it('deltasAfter returns nothing if the sent text is not the beginning', () => {
  expect(deltasAfter('One. Two. Three.', segments, ' ')).toEqual([]);
  expect(deltasAfter('One. Too.', segments, ' ')).toEqual([]);
  expect(deltasAfter('One. Two.', segments.slice(0, 1), ' ')).toEqual([]);
});
