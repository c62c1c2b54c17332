import { describe, expect, it } from 'vitest';
import { groupLines } from './blocks.ts';
import { isOption, markedForm, markedOptions } from './marked-options.ts';
import type { Area } from './page-tokens.ts';

type Word = Area & { readonly text: string };

/** Characters of 5 points on lines of 20; words in `_` are underlined, those in `~` struck out. */
function formOf(...lines: readonly string[]) {
  const tokens: Word[] = [];
  const horizontal: Area[] = [];
  for (const [row, line] of lines.entries()) {
    let x0 = 10;
    for (const word of line.split(' ')) {
      const text = word.replace(/[_~]/gu, '');
      const [y0, x1] = [20 * row, x0 + 5 * text.length];
      tokens.push({ x0, x1, y0, y1: y0 + 10, text });
      const y = word.startsWith('_') ? y0 + 11 : y0 + 5;
      // One rule goes on under the next word.
      const isNext = horizontal.at(-1)?.y0 === y && horizontal.at(-1)!.x1 === x0 - 4;
      if (/^[_~]/u.test(word)) horizontal.push({ x0: isNext ? horizontal.pop()!.x0 : x0, x1, y0: y, y1: y });
      x0 = x1 + 4;
    }
  }
  return { tokens, horizontal };
}

function markedIn(name: string, ...lines: readonly string[]): string | undefined {
  const { tokens, horizontal } = formOf(...lines);
  const form = markedForm(groupLines(tokens), horizontal);
  const value = tokens.filter(({ text }) => text.startsWith(name));
  return (
    form &&
    markedOptions(value, form)
      ?.map(({ text }) => text)
      .join(' ')
  );
}

describe('markedOptions', () => {
  it('finds the underlined option of a list that goes on in the next line', () => {
    const lines = ['Перегородки: гипсовые, кирпичные,', '_дощатые_, прочие; кровля: _шифер_, железо', 'подчеркнуть'];
    expect(markedIn('гипсовые', ...lines)).toBe('дощатые,');
    expect(markedIn('железо', ...lines)).toBe('шифер,');
  });

  it('ends a list before the next label', () => {
    const lines = ['Стены: кирпичные, _дощатые,_ прочие', 'Материал кровли: _шифер,_ железо Полы: _дощатые,_ плитка'];
    expect(markedIn('кирпичные', ...lines, 'подчеркнуть')).toBe('дощатые,');
    expect(markedIn('железо', ...lines, 'подчеркнуть')).toBe('шифер,');
    const numbered = ['3. Дом используется: под жильё, под контору, _смешанно_', '4. Объём 27940 куб. м (подчеркнуть)'];
    expect(markedIn('жильё', ...numbered)).toBe('смешанно');
  });

  it('finds options of two words, and several options', () => {
    expect(markedIn('жилое', 'Вид: жилое здание, _пристройка_ _жилая,_ баня (подчеркнуть)')).toBe('пристройка жилая,');
    expect(markedIn('дача', 'Газ: _есть,_ нет, _баллон_ (нужное подчёркнуто)')).toBeUndefined();
    expect(markedIn('нет', 'Газ: _есть,_ нет, _баллон_ (нужное подчёркнуто)')).toBe('есть, баллон');
  });

  it('finds the options that are not struck out', () => {
    expect(markedIn('brick', 'Walls: ~brick,~ stone, ~timber~ (delete as required)')).toBe('stone,');
    expect(markedIn('жилое', 'Здание: ~жилое,~ нежилое; ненужное зачеркнуть')).toBe('нежилое;');
  });

  it('ignores rules under the whole list, under all options or under none', () => {
    const { tokens } = formOf('Стены: кирпичные, деревянные (подчеркнуть)');
    const line = { x0: 10, x1: 200, y0: 11, y1: 11 };
    expect(markedOptions(tokens.slice(1, 2), markedForm(groupLines(tokens), [line])!)).toBeUndefined();
    expect(markedIn('кирпичные', 'Стены: _кирпичные,_ _деревянные_ (подчеркнуть)')).toBeUndefined();
    expect(markedIn('кирпичные', 'Стены: кирпичные, деревянные (подчеркнуть)')).toBeUndefined();
  });

  it('leaves filled blanks, lists with figures and labels before an option', () => {
    const blank = ['Назначение: _многоквартирный_ _дом,_', '_встроенные_ _магазины_', 'нужное подчеркнуть'];
    expect(markedIn('дом', ...blank)).toBeUndefined();
    expect(markedIn('Орск', 'Адрес: г. _Орск,_ дом _12,_ лифт нет (подчеркнуть)')).toBeUndefined();
    expect(markedIn('шифер', 'Кровля _железная,_ мягкая, шифер (нужное подчеркнуть)')).toBe('железная,');
  });

  it('is for texts that are no names, numbers or addresses', () => {
    expect(isOption({ type: 'string' })).toBe(true);
    expect(isOption({ type: 'string', shapes: ['^\\p{Lu}'] })).toBe(false);
    expect(isOption({ type: 'number' })).toBe(false);
  });

  it('needs a form that asks for marks', () => {
    expect(markedIn('кирпичные', 'Стены: кирпичные, _деревянные_')).toBeUndefined();
  });
});
