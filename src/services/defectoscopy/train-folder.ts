import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { OperatorError } from '../../base/operator-error.ts';
import { parseCsv } from './train-csv.ts';

export type Split = 'train' | 'val' | 'test';
const SPLITS: ReadonlySet<string> = new Set<Split>(['train', 'val', 'test']);

/** One image of a training folder, and what it shows. */
export interface Sample {
  readonly path: string;
  /** Absent where the folder does not tell surfaces apart. */
  readonly surface?: string;
  readonly master: string;
  readonly defect: string;
  /** Images of one photo or part: they must not be split, or the accuracy would be a lie. */
  readonly group?: string;
  readonly split?: Split;
}

export interface TrainingFolder {
  /** How the labels were read, for the person who runs it. */
  readonly layout: string;
  readonly samples: readonly Sample[];
}

const IMAGES: ReadonlySet<string> = new Set([
  '.jpg',
  '.jpeg',
  '.png',
  '.webp',
  '.tif',
  '.tiff',
  '.gif',
  '.avif',
  '.heic',
]);

/**
 * Finds the images of `folder` and what they show, in one of three layouts: a `labels.csv`, folders
 * surface/master/defect, or folders named by defect. `groupOf` names the group of a defect where the layout does not.
 */
export async function readTrainingFolder(
  folder: string,
  { sound, groupOf }: { sound: string; groupOf: (defect: string) => string },
): Promise<TrainingFolder> {
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`The folder ${folder} cannot be read (${error.code ?? error.message}).`);
  });
  if (names.includes('labels.csv')) return readLabels(folder, sound, groupOf);

  const images = names.filter((name) => IMAGES.has(extname(name).toLowerCase())).sort();
  if (images.length === 0) throw new OperatorError(`There are no images in ${folder}, and no labels.csv.`);
  const places = images.map((name) => ({ path: join(folder, name), folders: name.split(sep).slice(0, -1) }));
  if (places.every(({ folders }) => folders.length === 1)) {
    const samples = places.map(({ path, folders: [name] }) => ({ path, master: groupOf(name!), defect: name! }));
    return { layout: `${count(images)} in folders named by defect (“${sound}”: none)`, samples };
  }
  // What is sound has no defect, so its folders may end one level earlier.
  if (
    places.every(
      ({ folders: [, master], folders }) => folders.length === 3 || (folders.length === 2 && master === sound),
    )
  ) {
    const samples = places.map(({ path, folders: [surface, master, defect = sound] }) => ({
      ...{ path, surface: surface!, master: master! },
      defect: master === sound ? sound : defect,
    }));
    return { layout: `${count(images)} in folders surface/master/defect`, samples };
  }
  throw new OperatorError(
    `The images in ${folder} are neither all one folder deep (defect/photo.jpg) nor all three (surface/master/defect/photo.jpg), and there is no labels.csv.`,
  );
}

async function readLabels(folder: string, sound: string, groupOf: (defect: string) => string): Promise<TrainingFolder> {
  const rows = parseCsv(await readFile(join(folder, 'labels.csv'), 'utf8'));
  if (rows.length === 0) throw new OperatorError('labels.csv has no rows.');
  for (const column of ['file', 'defect']) {
    if (rows[0]![column] === undefined) throw new OperatorError(`labels.csv has no column ${column}.`);
  }
  const samples = rows.map((row, i): Sample => {
    const { file = '', surface, master, group, split } = row;
    const defect = row['defect'] || sound;
    if (file === '') throw new OperatorError(`labels.csv, row ${i + 2}: no file is named.`);
    if (split && !SPLITS.has(split)) {
      throw new OperatorError(`labels.csv, row ${i + 2}: the split is ${split}, not train, val or test.`);
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
      `labels.csv: ${without} of ${samples.length} rows have no surface; give it to all or to none.`,
    );
  }
  return { layout: `${count(samples)} in labels.csv`, samples };
}

const count = (images: readonly unknown[]) => `${images.length} ${images.length === 1 ? 'image' : 'images'}`;
