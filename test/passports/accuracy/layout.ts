import type { Facts } from './facts.ts';
import type { Random } from './random.ts';

/** The ground truth of a document, by keys of the default schema. */
export interface Truth {
  readonly values: Readonly<Record<string, string | number>>;
  /** Alternative correct values. */
  readonly accept?: Readonly<Record<string, readonly string[]>>;
}

/** A pdfmake document definition. */
export type Drawing = Record<string, unknown>;

/** A passport layout. */
export interface FormLayout {
  readonly name: string;
  /** Added after the rules were written; docs/models.md has the accuracy before the rules were adapted to it. */
  readonly afterRules: boolean;
  /** Overrides the number of rooms. */
  readonly rooms?: number;
  /** Rotation of the photo. */
  readonly turned?: 90 | 180 | 270;
  draw(facts: Facts, random: Random): { drawing: Drawing; truth: Truth };
}

/** The ground truth of the rooms, limited to the columns of the form. */
export function roomsTruth(
  { rooms }: Pick<Facts, 'rooms'>,
  columns: readonly ('no' | 'name' | 'area' | 'living' | 'auxiliary' | 'height')[],
): Record<string, string | number> {
  const truth: Record<string, string | number> = {};
  for (const [i, room] of rooms.entries()) {
    for (const column of columns) {
      const value = room[column];
      const key = column === 'living' || column === 'auxiliary' ? `${column}_area` : column;
      if (value !== null) truth[`rooms:${i + 1}.${key}`] = column === 'no' ? String(value) : value;
    }
  }
  return truth;
}
