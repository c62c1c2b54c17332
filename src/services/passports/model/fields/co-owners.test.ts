import { describe, expect, it } from 'vitest';
import { coOwners } from './co-owners.ts';
import type { Area } from './page-tokens.ts';

/** A ruled table with columns of 100 points and rows of 20. */
function ownersIn(first: string, ...rows: readonly (readonly string[])[]): string[] {
  const tokens = rows.flatMap((cells, row) =>
    cells.flatMap((cell, column) =>
      cell.split(' ').map((text, i): Area & { text: string } => {
        const [x0, y0] = [100 * column + 5 + 30 * i, 20 * row + 5];
        return { x0, x1: x0 + 25, y0, y1: y0 + 10, text };
      }),
    ),
  );
  const [width, height] = [100 * rows[0]!.length, 20 * rows.length];
  const horizontal = [...rows.keys(), rows.length].map((row) => ({ x0: 0, x1: width, y0: 20 * row, y1: 20 * row }));
  const vertical = [...rows[0]!.keys(), rows[0]!.length].map((at) => ({
    x0: 100 * at,
    x1: 100 * at,
    y0: 0,
    y1: height,
  }));
  const name = tokens.filter(({ text, y0 }) => y0 === tokens.find((token) => token.text === first)!.y0 && text);
  const own = name.filter(({ x0 }) => x0 < 100);
  return coOwners(own, { tokens, horizontal, vertical }).map((owner) => owner.map(({ text }) => text).join(' '));
}

describe('coOwners', () => {
  it('finds the owners of adjacent rows with shares', () => {
    const rows = [
      ['Собственник', 'Доля'],
      ['Соколов В.', '1/2'],
      ['Соколова Н.', '1 / 2'],
      ['', ''],
    ];
    expect(ownersIn('Соколов', ...rows)).toEqual(['Соколов В.', 'Соколова Н.']);
    expect(ownersIn('Соколова', ...rows)).toEqual(['Соколов В.', 'Соколова Н.']);
  });

  it('keeps owners apart who owned the whole one after the other', () => {
    expect(ownersIn('Громова', ['Громова Л.', '1/1'], ['Петров И.', '1/1'])).toEqual([]);
    expect(ownersIn('Громова', ['Громова Л.', 'целое'], ['Петров И.', 'целое'])).toEqual([]);
  });

  it('leaves owners whose shares add up to more than the whole, and totals', () => {
    const rows = [
      ['Иванов И.', '1/2'],
      ['Иванова О.', '1/2'],
      ['Сидоров П.', '1/2'],
    ];
    expect(ownersIn('Иванов', ...rows)).toEqual([]);
    expect(ownersIn('Иванов', ['Иванов И.', '1/4'], ['Сидоров П.', '1/4'], ['Итого', '2/4'])).toEqual([
      'Иванов И.',
      'Сидоров П.',
    ]);
  });

  it('takes no part of a number or a date for a share', () => {
    expect(ownersIn('Громова', ['Громова Л.', 'дело 3/441'], ['Петров И.', 'дело 4/7'])).toEqual([]);
  });
});
