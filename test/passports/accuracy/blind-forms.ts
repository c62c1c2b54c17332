import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Truth } from './layout.ts';

/** A form with documents, two in blind/ (README.md there). */
export interface BlindForm {
  readonly name: string;
  readonly documents: readonly BlindDocument[];
}

export interface BlindDocument {
  /** From 1; also the seed of scan and photo. */
  readonly number: number;
  /** Printed for each kind. */
  readonly html?: string;
  /** The pages by kind, if they are not made from `html`: a PDF, or images. */
  readonly files?: ReadonlyMap<string, readonly string[]>;
  readonly truth: Truth;
}

/** The file format of the truth. */
export interface BlindTruth extends Truth {
  readonly rooms?: readonly Readonly<Record<string, string | number>>[];
}

/** Reads the forms of a folder, in the order of their names. */
export async function readBlindForms(folder: string): Promise<BlindForm[]> {
  const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  return Promise.all(
    names
      .map(({ name }) => name)
      .sort()
      .map(async (name) => ({
        name,
        documents: await Promise.all(
          [1, 2].map(async (number) => ({
            number,
            html: join(folder, name, `${number}.html`),
            truth: flattenTruth(JSON.parse(await readFile(join(folder, name, `${number}.json`), 'utf8')) as BlindTruth),
          })),
        ),
      })),
  );
}

/** Adds the rooms to the values, by keys of the schema. */
export function flattenTruth({ values, accept, rooms = [] }: BlindTruth): Truth {
  const cells = rooms.flatMap((room, i) =>
    Object.entries(room).map(([column, value]) => [
      `rooms:${i + 1}.${column}`,
      column === 'no' || column === 'name' ? String(value) : value,
    ]),
  );
  return { values: { ...values, ...Object.fromEntries(cells) }, ...(accept && { accept }) };
}
