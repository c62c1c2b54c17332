import { join, parse } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';
import type { Passports, ReadDocument } from '../client/index.ts';
import { isFolder, writeOutputFile } from './local-files.ts';

/** Checks the output path for `count` documents before any work starts. */
export async function documentFiles(
  format: 'xlsx' | 'pdf',
  { output, count }: { output: string | undefined; count: number },
) {
  if (output === undefined) throw needsOutput(format, 'a file, or a folder for several documents');
  const toFolder = await isFolder(output);
  if (count > 1 && !toFolder) throw new OperatorError(`${output} is not a folder; several documents need one.`);
  return {
    /** Prints the path of each file. */
    async write(
      passports: Passports,
      documents: readonly ReadDocument[],
      options: { readonly language: 'en' | 'ru' | undefined; readonly signal: AbortSignal },
    ): Promise<void> {
      const usedNames = new Set<string>();
      for (const { id, filename } of documents) {
        const path = toFolder ? join(output, `${uniqueName(usedNames, parse(filename).name)}.${format}`) : output;
        const exported = format === 'xlsx' ? passports.exportExcel(id, options) : passports.exportPdf(id, options);
        await writeOutputFile(path, await exported);
        console.log(path);
      }
    },
  };
}

/** Of a format that is not text. */
export const needsOutput = (format: string, where: string) =>
  new OperatorError(`--format ${format} needs --output: ${where}.`);

/** Two folders can each contain a passport.pdf. */
function uniqueName(usedNames: Set<string>, preferred: string): string {
  let name = preferred;
  for (let copy = 2; usedNames.has(name.toLowerCase()); copy++) name = `${preferred} (${copy})`;
  usedNames.add(name.toLowerCase()); // for case-insensitive file systems
  return name;
}
