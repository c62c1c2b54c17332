import { stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';
import { Assay, type AssayError, type Passports, type ReadDocument, TaskFailed } from '../client/index.ts';
import { type ErrandOptions, failureOf, keep, onErrand, tell } from './errand.ts';
import { givenFile } from './given-file.ts';
import { documentLines } from './result-lines.ts';
import { whileWaiting } from './waiting.ts';

export interface ExtractOptions extends ErrandOptions {
  readonly language?: 'en' | 'ru';
  /** `text` and `json` are told in one piece; the others are files, one for each document. */
  readonly format?: 'text' | 'json' | 'xlsx' | 'pdf';
}

type File = Awaited<ReturnType<typeof givenFile>>;

/**
 * `assay extract FILE…`: the fields of technical passports. Each PDF is a document; files of other kinds are photos of
 * pages, and are together one more document, in the order in which they were named.
 */
export function extractCommand(paths: readonly string[], given: ExtractOptions, signal: AbortSignal): Promise<void> {
  const options = { ...given, json: given.json || given.format === 'json' };
  const { format, language, output } = options;
  return onErrand('passports', options, signal, async ({ url, token, apiKey, ...manners }) => {
    if ((format === 'xlsx' || format === 'pdf') && output === undefined) {
      throw new OperatorError(`--format ${format} needs --output: a file, or a folder for several documents.`);
    }
    const { passports } = new Assay({ passports: { url, token, apiKey }, ...manners });
    const ids = await sent(passports, await Promise.all(paths.map(givenFile)), signal);
    if (!options.wait) {
      const accepted = await Promise.all(ids.map((id) => passports.status(id, { signal })));
      return tell(
        options,
        { documents: accepted },
        accepted.map(({ id, status }) => `${id}  ${status}`),
      );
    }

    const read: ReadDocument[] = [];
    const failed: TaskFailed[] = [];
    for (const id of ids) {
      try {
        await whileWaiting((onState) => passports.wait(id, { onState, signal }));
        read.push((await passports.result(id, { language, signal })) as ReadDocument);
      } catch (error) {
        if (!(error instanceof TaskFailed)) throw error;
        failed.push(error);
        process.exitCode = 1;
        console.error(failureOf(error));
      }
    }
    if (format === 'xlsx' || format === 'pdf')
      return exported(passports, read, { format, language, output: output! }, signal);
    const lines = read.flatMap((document, index) => [
      ...(ids.length > 1 ? [...(index > 0 ? [''] : []), `${document.filename}:`] : []),
      ...documentLines(document),
    ]);
    if (read.length > 0 || options.json) {
      await tell(options, { documents: [...read, ...failed.map(({ state }) => state)] }, lines);
    }
  });
}

/** Uploads everything and answers the ids of the documents. The first file that is refused ends it, by its name. */
async function sent(passports: Passports, files: readonly File[], signal: AbortSignal): Promise<string[]> {
  const pdfs: File[] = [];
  const pages: File[] = [];
  for (const file of files) ((await isPdf(file.data)) ? pdfs : pages).push(file);
  const ids: string[] = [];
  if (pages.length > 0) {
    const { image_ids, rejected } = await passports.uploadImages(pages, { signal }).catch(about(pages));
    if (rejected[0]) {
      await Promise.all(image_ids.map((id) => passports.removeImage(id)));
      throw new OperatorError(`${rejected[0].filename}: ${rejected[0].error.message}`);
    }
    ids.push((await passports.createPdf(image_ids, { signal })).task_id);
  }
  for (const file of pdfs) ids.push((await passports.upload(file, { signal }).catch(about([file]))).items[0]!.id);
  return ids;
}

/** A refusal of a file says which; one of the caller does not concern the file. */
function about(files: readonly File[]) {
  return (error: AssayError): never => {
    if (![400, 413, 415].includes(error.status)) throw error;
    throw new OperatorError(`${files.map(({ name }) => name).join(', ')}: ${error.message}`);
  };
}

const isPdf = async (data: Blob) => (await data.slice(0, 1024 + 5).text()).includes('%PDF-');

async function exported(
  passports: Passports,
  read: readonly ReadDocument[],
  { format, language, output }: { format: 'xlsx' | 'pdf'; language: 'en' | 'ru' | undefined; output: string },
  signal: AbortSignal,
): Promise<void> {
  const isFolder = (await stat(output).catch(() => undefined))?.isDirectory() ?? false;
  if (read.length > 1 && !isFolder) throw new OperatorError(`${output} is no folder, which several documents need.`);
  for (const { id, filename } of read) {
    const path = isFolder ? join(output, `${parse(filename).name}.${format}`) : output;
    const asked = { language, signal };
    await keep(path, await (format === 'xlsx' ? passports.exportExcel(id, asked) : passports.exportPdf(id, asked)));
    console.log(path);
  }
}
