import type { Facts } from './facts.ts';
import type { Random } from './random.ts';

/** What stands on the pages of a document, by the keys of the default schema. */
export interface Truth {
  readonly values: Readonly<Record<string, string | number>>;
  /** Other right readings. */
  readonly accept?: Readonly<Record<string, readonly string[]>>;
}

/** A document definition of pdfmake: plain data. */
export type Drawing = Record<string, unknown>;

/** One way in which offices lay a passport out. */
export interface FormLayout {
  readonly name: string;
  /** Came after the rules, which were mended on it only after it was measured: docs/models.md has what was found at first sight. */
  readonly afterRules: boolean;
  /** The number of rooms, where the layout is about it. */
  readonly rooms?: number;
  /** By how much its photo lies turned. */
  readonly turned?: 90 | 180 | 270;
  draw(facts: Facts, random: Random): { drawing: Drawing; truth: Truth };
}

/** The truth about the rooms: the columns that the form has. */
export function roomsTruth(
  { rooms }: Pick<Facts, 'rooms'>,
  columns: readonly ('no' | 'name' | 'area' | 'living' | 'auxiliary' | 'height')[],
): Record<string, string | number> {
  const truth: Record<string, string | number> = {};
  for (const [i, room] of rooms.entries()) {
    for (const column of columns) {
      const value = room[column];
      const key = column === 'living' || column === 'auxiliary' ? `${column}_area` : column;
      if (value !== null) truth[`rooms:${i + 1}.${key}`] = value;
    }
  }
  return truth;
}
