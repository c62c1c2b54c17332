import type { Area } from '../fields/page-tokens.ts';

/**
 * What one corrected document teaches about its form. It contains places and hashes of the form's own words, and no
 * values. Plain data: stored as JSON.
 */
export interface Lesson {
  readonly format: 1;
  /** The usual height of a word. */
  readonly em: number;
  readonly words: readonly LessonWord[];
  readonly fields: readonly LessonField[];
  readonly tables: readonly LessonTable[];
}

/** Places are in points, with all pages below each other. */
export interface LessonWord extends Area {
  readonly hash: number;
  /** Hashes of both halves; empty for short words. */
  readonly halves: readonly number[];
  /** At least three letters: the word counts in the match of a page. */
  readonly strong: boolean;
}

export interface LessonField {
  readonly key: string;
  /** Empty: the value was removed, or is not found on the pages. */
  readonly parts: readonly LessonPart[];
  /** Text between the parts of a value from several places: one more than parts. */
  readonly literals: readonly string[];
  /** The factor from the printed number, as for thousands of roubles. */
  readonly factor: number;
  /** Dates of the form have the month first: `03/12/1987` of 12 March. */
  readonly monthFirst?: true;
  /** Where the reader found a wrong value. */
  readonly wrong?: Area;
  /** A person typed the value, instead of leaving the extracted one unchanged. */
  readonly corrected: boolean;
  /** The person removed the value. */
  readonly cleared?: true;
  /** The reader was unsure of the value, and no person has confirmed it: its place is known, but agreement proves nothing. */
  readonly doubtful?: true;
  /** The person added words to what the reader had found. */
  readonly extended?: true;
  /** The person removed words from what the reader had found. */
  readonly shortened?: true;
  /** The template finds the value in the document that it was made from. */
  readonly verified: boolean;
  /** Its place alone runs on into other values, which end it once their words are known. */
  readonly leans?: true;
  /** The value is all text between the words of the form before and after it, or a part with its own punctuation. */
  readonly inText?: 'all' | 'part';
}

export interface LessonPart extends Area {
  /** Lines of the value, from top to bottom. */
  readonly lines: number;
  /** The ruled cell around the value, or the area of its options. */
  readonly cell?: Area;
  /** How the value was found again in the document that it was learned from. */
  readonly by: PlaceMethod;
  /** What stands before and after the value on its line or in its cell. */
  readonly before: LessonNeighbour;
  readonly after: LessonNeighbour;
  /** Characters in boxes of their own. */
  readonly spaced: boolean;
  /** Index among the values of this type between the same two words of the form. */
  readonly nth: number;
  /** The widest space between words of the value. */
  readonly gap: number;
  /** The space after the value, if another token follows on its line. */
  readonly space?: number;
  /** A text with free room around it, so that a longer one has more lines. */
  readonly grows?: LessonRoom;
}

/**
 * The ticked or marked one of several options; in its ruled cell, after a word of the form, or at the place that nearby
 * words of the form predict.
 */
export type PlaceMethod = 'option' | 'cell' | 'after' | 'place';

export interface LessonNeighbour {
  /** The nearest word of the form, by index; other values may stand between. */
  readonly word?: number;
  /** Distance to that word. */
  readonly gap: number;
  /** No other value stands between. */
  readonly direct: boolean;
  /** Punctuation between the value and another value beside it. */
  readonly separator?: string;
  /** Punctuation that ends the value in running text. */
  readonly end?: string;
}

/** The words of the form, by index, beside the nearest text above and below a value; the nearest word first. */
export interface LessonRoom {
  readonly above: readonly number[];
  readonly below: readonly number[];
}

export interface LessonTable {
  readonly section: string;
  /** Groups of columns side by side, in reading order. Empty without `cards`: the form has no such table. */
  readonly groups: readonly LessonColumns[];
  /** In place of columns: each row is a card. */
  readonly cards?: LessonCards;
  readonly ruled: boolean;
  /** Rows follow a line with totals. */
  readonly continues: boolean;
  readonly corrected: boolean;
  /** Shares of the cells that the reader had found itself, and that the template finds. */
  readonly readShare: number;
  readonly verifiedShare: number;
}

export interface LessonColumns extends Area {
  /** Distance between the first two rows. */
  readonly pitch: number;
  readonly columns: readonly { readonly key: string; readonly x0: number; readonly x1: number }[];
}

/** A grid of cards, each with its cells at the same places. The area is that of all cards. */
export interface LessonCards extends Area {
  /** Distance between cards above each other. */
  readonly pitch: number;
  /** Where the words of the cards of each column may stand, from left to right. */
  readonly columns: readonly { readonly x0: number; readonly x1: number }[];
  /** Rows run down the first column, then down the second. */
  readonly down: boolean;
  /** From the left end of the column, and from the middle of the first line of the card to that of the cell. */
  readonly cells: readonly { readonly key: string; readonly x0: number; readonly x1: number; readonly y: number }[];
  /** Hashes of the words that most cards print beside their values. */
  readonly labels: readonly number[];
}
