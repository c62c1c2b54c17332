import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { OperatorError } from '../../../base/operator-error.ts';
import { IMAGE_EXTENSIONS } from '../../../base/sniff.ts';
import { parseCsv } from './csv.ts';

export type Split = 'train' | 'val' | 'test';
const SPLITS: ReadonlySet<string> = new Set<Split>(['train', 'val', 'test']);

export interface Sample {
  readonly path: string;
  /** Absent if the folder has no surface labels. */
  readonly surface?: string;
  readonly master: string;
  readonly defect: string;
  /** Images of the same object, kept in one split to keep the measured accuracy valid. */
  readonly group?: string;
  readonly split?: Split;
}

export interface TrainingFolder {
  /** For the log. */
  readonly layout: string;
  readonly samples: readonly Sample[];
}

const IMAGES: ReadonlySet<string> = new Set(IMAGE_EXTENSIONS);

/**
 * Reads a labelled folder in one of three layouts: `labels.csv`, folders surface/master/defect, or folders named by
 * defect. `groupOf` returns the group of a defect if the layout does not contain it.
 */
export async function readTrainingFolder(
  folder: string,
  { sound, groupOf }: { sound: string; groupOf: (defect: string) => string },
): Promise<TrainingFolder> {
  const names = await listFolder(folder);
  if (names.includes('labels.csv')) return readLabels(folder, sound, groupOf);

  const images = imagesIn(names);
  if (images.length === 0) throw new OperatorError(`No images and no labels.csv found in ${folder}.`);
  const located = images.map((name) => ({ path: join(folder, name), folders: name.split(sep).slice(0, -1) }));
  if (located.every(({ folders }) => folders.length === 1)) {
    const samples = located.map(({ path, folders: [name] }) => ({ path, master: groupOf(name!), defect: name! }));
    return { layout: `${count(images)} in folders named by defect (“${sound}”: no defect)`, samples };
  }
  // Sound images have no defect level.
  if (
    located.every(
      ({ folders: [, master], folders }) => folders.length === 3 || (folders.length === 2 && master === sound),
    )
  ) {
    const samples = located.map(({ path, folders: [surface, master, defect = sound] }) => ({
      ...{ path, surface: surface!, master: master! },
      defect: master === sound ? sound : defect,
    }));
    return { layout: `${count(images)} in folders surface/master/defect`, samples };
  }
  throw new OperatorError(
    `Unknown layout of ${folder}: use defect/photo.jpg or surface/master/defect/photo.jpg for all images, or a labels.csv.`,
  );
}

/** The paths of all images of a folder and its subfolders. */
export const listImages = async (folder: string): Promise<string[]> =>
  imagesIn(await listFolder(folder)).map((name) => join(folder, name));

const listFolder = (folder: string) =>
  readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`Cannot read the folder ${folder} (${error.code ?? error.message}).`);
  });

const imagesIn = (names: readonly string[]) => names.filter((name) => IMAGES.has(extname(name).toLowerCase())).sort();

async function readLabels(folder: string, sound: string, groupOf: (defect: string) => string): Promise<TrainingFolder> {
  const rows = parseCsv(await readFile(join(folder, 'labels.csv'), 'utf8'));
  if (rows.length === 0) throw new OperatorError('labels.csv has no rows.');
  for (const column of ['file', 'defect']) {
    if (rows[0]![column] === undefined) throw new OperatorError(`labels.csv has no column ${column}.`);
  }
  const samples = rows.map((row, i): Sample => {
    const { file = '', surface, master, group, split } = row;
    const defect = row['defect'] || sound;
    if (file === '') throw new OperatorError(`labels.csv, row ${i + 2}: the file is missing.`);
    if (split && !SPLITS.has(split)) {
      throw new OperatorError(`labels.csv, row ${i + 2}: the split must be train, val or test, not ${split}.`);
    }
    return {
      path: join(folder, file),
      defect,
      master: defect === sound ? sound : master || groupOf(defect),
      ...(surface && { surface }),
      ...(group && { group }),
      ...(split && { split: split as Split }),
    };
  });
  const without = samples.filter(({ surface }) => surface === undefined).length;
  if (without > 0 && without < samples.length) {
    throw new OperatorError(
      `labels.csv: ${without} of ${samples.length} rows have no surface. Set it in all rows or in none.`,
    );
  }
  return { layout: `${count(samples)} in labels.csv`, samples };
}

const count = (images: readonly unknown[]) => `${images.length} ${images.length === 1 ? 'image' : 'images'}`;
