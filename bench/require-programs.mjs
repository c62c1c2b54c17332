import { existsSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';

/** Exits with a message if one of these programs is not installed. */
export function requirePrograms(...programs) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const missing = programs.filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
  if (missing.length === 0) return;
  console.error(`bench/${relative(import.meta.dirname, process.argv[1])} needs ${missing.join(', ')}`);
  process.exit(2);
}
