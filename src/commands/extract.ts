import { OperatorError } from '../base/operator-error.ts';
import { Assay, type AssayError, type Passports, type ReadDocument, TaskFailed } from '../client/index.ts';
import { documentFiles } from './document-files.ts';
import { type ErrandOptions, failureOf, onErrand, tell } from './errand.ts';
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
export function extractCommand(paths: readonly string[], asked: ExtractOptions, signal: AbortSignal): Promise<void> {
  const options = { ...asked, json: asked.json || asked.format === 'json' };
  const { format, language, output } = options;
  return onErrand('passports', options, signal, async ({ url, token, apiKey, ...manners }) => {
    const given = await sorted(await Promise.all(paths.map(givenFile)));
    const count = given.pdfs.length + Math.min(1, given.pages.length);
    const files = format === 'xlsx' || format === 'pdf' ? await documentFiles(format, { output, count }) : undefined;
    const { passports } = new Assay({ passports: { url, token, apiKey }, ...manners });
    const ids = await sent(passports, given, signal);
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
    if (files) return files.write(passports, read, { language, signal });
    const lines = read.flatMap((document, index) => [
      ...(ids.length > 1 ? [...(index > 0 ? [''] : []), `${document.filename}:`] : []),
      ...documentLines(document),
    ]);
    if (read.length > 0 || options.json) {
      await tell(options, { documents: [...read, ...failed.map(({ state }) => state)] }, lines);
    }
  });
}

interface Sorted {
  readonly pdfs: readonly File[];
  readonly pages: readonly File[];
}

async function sorted(files: readonly File[]): Promise<Sorted> {
  const pdfs: File[] = [];
  const pages: File[] = [];
  for (const file of files) ((await isPdf(file.data)) ? pdfs : pages).push(file);
  return { pdfs, pages };
}

/** Uploads everything and answers the ids of the documents. The first file that is refused ends it, by its name. */
async function sent(passports: Passports, { pdfs, pages }: Sorted, signal: AbortSignal): Promise<string[]> {
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
