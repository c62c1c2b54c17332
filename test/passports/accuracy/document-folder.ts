import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { everyField } from '../../../src/services/passports/schema/keys.ts';
import { loadSchema } from '../../../src/services/passports/schema/load-schema.ts';
import { type BlindDocument, type BlindForm, flattenTruth } from './blind-forms.ts';

/** The keys of `truth/` that differ from those of the schema. */
const SHORT_KEYS: Readonly<Record<string, string>> = {
  ...{ cad: 'cadastral_number', inv: 'inventory_number', year: 'year_built', walls: 'wall_material' },
  ...{ wear: 'wear_percent', total: 'total_area', living: 'living_area', value: 'inventory_value' },
  ...{ date: 'issue_date', org: 'issuer', tech: 'technician' },
};
const SHORT_COLUMNS: Readonly<Record<string, string>> = { living: 'living_area', aux: 'auxiliary_area' };

interface FolderTruth {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly accept?: Readonly<Record<string, readonly string[]>>;
  readonly rooms?: readonly Readonly<Record<string, string | number | null>>[];
}

/**
 * Reads a folder with `truth/NAME.json`, `pdf/NAME.pdf` and `scans/NAME.KIND.jpg`, whose documents of one language have the same form,
 * and `layouts/` with the files of one form each. Pages of a document are numbered: `NAME.KIND-2.jpg`.
 */
export async function readDocumentFolder(folder: string): Promise<BlindForm[]> {
  const forms = new Map<string, BlindDocument[]>();
  for (const part of ['truth', 'layouts']) {
    const folders = part === 'truth' ? ['pdf', 'scans'] : [part];
    const files = (await Promise.all(folders.map((one) => listFiles(join(folder, one))))).flat();
    for (const path of await listFiles(join(folder, part), '.json')) {
      const name = basename(path, '.json');
      const json = JSON.parse(await readFile(path, 'utf8')) as FolderTruth & { readonly lang: string };
      const form = part === 'truth' ? json.lang : name;
      const documents = forms.get(form) ?? [];
      const truth = truthOf(part === 'truth' ? { fields: { ...json }, rooms: json.rooms ?? [] } : json);
      forms.set(form, [...documents, { number: documents.length + 1, files: filesByKind(name, files), truth }]);
    }
  }
  return [...forms].map(([name, documents]) => ({ name, documents }));
}

async function listFiles(folder: string, end = ''): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  return names
    .filter((name) => name.endsWith(end))
    .sort()
    .map((name) => join(folder, name));
}

function filesByKind(name: string, files: readonly string[]): Map<string, string[]> {
  const kinds = new Map<string, string[]>();
  for (const path of files) {
    const [, kind] = /^\.(?:(.+?)(?:-\d+)?\.jpg|pdf)$/u.exec(basename(path).replace(name, '')) ?? [undefined];
    if (basename(path) === `${name}.pdf`) kinds.set('pdf', [path]);
    else if (kind && basename(path).startsWith(`${name}.`)) kinds.set(kind, [...(kinds.get(kind) ?? []), path]);
  }
  return kinds;
}

function truthOf({ fields, accept = {}, rooms = [] }: FolderTruth) {
  const keys = new Map([...everyField(loadSchema())].map(({ key, spec }) => [spec.key, key]));
  const named = <T>(values: Readonly<Record<string, T>>) =>
    Object.entries(values).flatMap(([short, value]): [string, T][] => {
      const key = keys.get(SHORT_KEYS[short] ?? short);
      return key === undefined || value === null ? [] : [[key, value]];
    });
  return flattenTruth({
    values: Object.fromEntries(named(fields).map(([key, value]) => [key, toIsoDate(value as string | number)])),
    accept: Object.fromEntries(named(accept)),
    rooms: rooms.map((room) =>
      Object.fromEntries(
        Object.entries(room).flatMap(([column, value]) =>
          value === null ? [] : [[SHORT_COLUMNS[column] ?? column, value]],
        ),
      ),
    ),
  });
}

const toIsoDate = (value: string | number): string | number =>
  typeof value === 'string' ? value.replace(/^(\d{2})[./](\d{2})[./](\d{4})$/u, '$3-$2-$1') : value;
