import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { OperatorError } from '../../base/operator-error.ts';
import { IMAGE_EXTENSIONS } from '../../base/sniff.ts';
import { unreadable } from '../local-files.ts';

/** What becomes one task: a file, or the page images of one document. */
export interface Item {
  /** The path in the folder, with `/`; of images of one document their folder, of those in the folder itself `FOLDER.images`. */
  readonly name: string;
  /** With the name of the folder, as on the page of a batch: for tables and as `file_name`. */
  readonly title: string;
  /** The name without the extension of a file, unless two items would then have files of the same name. */
  readonly outputName: string;
  readonly paths: readonly string[];
  /** Sizes and times of change. */
  readonly version: string;
}

const IMAGES = [...IMAGE_EXTENSIONS, '.heif'];
const RECORDINGS = [
  ...['.mp3', '.wav', '.ogg', '.oga', '.opus', '.m4a', '.mp4', '.mov', '.webm', '.mkv'],
  ...['.flac', '.aac', '.amr', '.wma', '.3gp'],
];

/** File name extensions by service. */
export const EXTENSIONS = { photos: IMAGES, recordings: RECORDINGS, documents: ['.pdf', ...IMAGES] } as const;

/** Files of a folder and its subfolders by name, without hidden files and those in `output`; links are not followed. */
export async function findItems(folder: string, kind: keyof typeof EXTENSIONS, output: string): Promise<Item[]> {
  const files: string[] = [];
  const written = relative(folder, output) + sep;
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(
    (error: NodeJS.ErrnoException) => {
      throw unreadable(error.path ?? folder, error);
    },
  );
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path);
    if (name.startsWith(written) || name.split(sep).some((part) => part.startsWith('.'))) continue;
    if (entry.isFile() && EXTENSIONS[kind].includes(extname(entry.name).toLowerCase())) files.push(path);
  }
  const byNumber = new Intl.Collator('en', { numeric: true });
  files.sort(byNumber.compare);
  const groups = new Map<string, string[]>();
  for (const path of files) {
    const item = itemPath(path, kind);
    groups.set(item, [...(groups.get(item) ?? []), path]);
  }
  if (files.length === 0) {
    throw new OperatorError(`${folder} has no ${kind} (${EXTENSIONS[kind].join(', ')}).`);
  }
  const parent = resolve(folder, '..');
  // A subfolder may have the name of the folder.
  const nameOf = (path: string) =>
    (relative(folder, path) || `${basename(resolve(folder))}.images`).replaceAll(sep, '/');
  const outputNames = outputNamesOf([...groups.keys()].map(nameOf));
  return Promise.all(
    [...groups].map(async ([path, paths]) => ({
      name: nameOf(path),
      outputName: outputNames.get(nameOf(path))!,
      title: relative(parent, path).replaceAll(sep, '/'),
      paths,
      version: (await Promise.all(paths.map(versionOf))).join(' '),
    })),
  );
}

function outputNamesOf(names: readonly string[]): Map<string, string> {
  const counts = new Map<string, number>();
  // File systems may ignore the case.
  const keysOf = (name: string) => new Set([name, withoutExtension(name)].map((each) => each.toLowerCase()));
  for (const name of names) for (const key of keysOf(name)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const isOwn = (name: string) => counts.get(name.toLowerCase()) === 1;
  return new Map(names.map((name) => [name, isOwn(withoutExtension(name)) ? withoutExtension(name) : name]));
}

/** Names of folders may contain dots. */
const ALL_EXTENSIONS = new Set<string>(Object.values(EXTENSIONS).flat());

/** Whether the extension is that of a photo, recording or document. */
export const isMediaName = (path: string): boolean => ALL_EXTENSIONS.has(extname(path).toLowerCase());

function withoutExtension(name: string): string {
  const extension = extname(name);
  return isMediaName(name) ? name.slice(0, name.length - extension.length) : name;
}

/** The page images in a folder are one document. */
const itemPath = (path: string, kind: keyof typeof EXTENSIONS): string =>
  kind === 'documents' && extname(path).toLowerCase() !== '.pdf' ? dirname(path) : path;

async function versionOf(path: string): Promise<string> {
  const { size, mtimeMs } = await stat(path);
  return `${size}@${Math.round(mtimeMs)}`;
}
