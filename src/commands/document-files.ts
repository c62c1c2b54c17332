import { stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';
import type { Passports, ReadDocument } from '../client/index.ts';
import { keep } from './errand.ts';

/** Where documents are written, each as a file of its own. */
export interface DocumentFiles {
  /** Writes them and says on standard output where. */
  write(
    passports: Passports,
    documents: readonly ReadDocument[],
    asked: { readonly language: 'en' | 'ru' | undefined; readonly signal: AbortSignal },
  ): Promise<void>;
}

/** A place for so many documents; refuses one that has none for them before anybody has waited for their content. */
export async function documentFiles(
  format: 'xlsx' | 'pdf',
  { output, count }: { output: string | undefined; count: number },
): Promise<DocumentFiles> {
  if (output === undefined) {
    throw new OperatorError(`--format ${format} needs --output: a file, or a folder for several documents.`);
  }
  const isFolder = (await stat(output).catch(() => undefined))?.isDirectory() ?? false;
  if (count > 1 && !isFolder) throw new OperatorError(`${output} is no folder, which several documents need.`);
  return {
    async write(passports, documents, asked) {
      const taken = new Set<string>();
      for (const { id, filename } of documents) {
        const path = isFolder ? join(output, `${unlike(taken, parse(filename).name)}.${format}`) : output;
        await keep(path, await (format === 'xlsx' ? passports.exportExcel(id, asked) : passports.exportPdf(id, asked)));
        console.log(path);
      }
    },
  };
}

/** This name, or another one where it is taken: two folders may each have had a passport.pdf. */
function unlike(taken: Set<string>, wished: string): string {
  let name = wished;
  for (let copy = 2; taken.has(name.toLowerCase()); copy++) name = `${wished} (${copy})`;
  taken.add(name.toLowerCase()); // where a file system does not tell A from a
  return name;
}
