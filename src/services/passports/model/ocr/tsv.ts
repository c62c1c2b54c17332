import type { Word } from '../../page.ts';
import { russianLetters } from './letters.ts';

/**
 * The words of Tesseract's TSV output (level 5 rows: place in pixels, confidence in percent, text), as shares of an image
 * of `width` × `height`. Rows without text are left out.
 */
export function wordsOfTsv(tsv: string, width: number, height: number): Word[] {
  return tsv.split('\n').flatMap((row): Word[] => {
    const cells = row.split('\t');
    const text = cells[11]?.trim();
    if (cells[0] !== '5' || !text) return [];
    const [left, top, across, down, percent] = cells.slice(6, 11).map(Number) as [number, number, number, number, number];
    return [
      {
        text: russianLetters(text),
        box: [left / width, top / height, (left + across) / width, (top + down) / height],
        confidence: Math.min(1, Math.max(0, percent / 100)),
      },
    ];
  });
}
