import pLimit from 'p-limit';
import { OperatorError } from '../base/operator-error.ts';
import {
  Assay,
  AssayError,
  type GroupingOptions,
  type Passports,
  type ReadDocument,
  TaskFailed,
} from '../client/index.ts';
import {
  type ClientCommandOptions,
  type Created,
  formatTaskFailure,
  groupingOf,
  printResult,
  RETRIES,
  runClientCommand,
} from './client-command.ts';
import { documentFiles } from './document-files.ts';
import { openInputFile } from './local-files.ts';
import { withProgress } from './progress.ts';
import { documentLines } from './result-lines.ts';

export interface ExtractOptions extends ClientCommandOptions {
  readonly language?: 'en' | 'ru';
  /** `text` and `json`: one output; others: one file per document. */
  readonly format?: 'text' | 'json' | 'xlsx' | 'pdf';
}

type File = Awaited<ReturnType<typeof openInputFile>>;

/** Each PDF is a document; all other files are page photos of one document. */
export function extractCommand(paths: readonly string[], flags: ExtractOptions, signal: AbortSignal): Promise<void> {
  const created: Created = { noun: 'task', ids: [] };
  const options = { ...flags, json: flags.json || flags.format === 'json', created };
  const { format, language, output } = options;
  return runClientCommand('passports', options, signal, async ({ url, token, apiKey, ...clientOptions }) => {
    const inputs = await splitByKind(await Promise.all(paths.map(openInputFile)));
    const count = inputs.pdfs.length + Math.min(1, inputs.pages.length);
    const files =
      options.wait && (format === 'xlsx' || format === 'pdf')
        ? await documentFiles(format, { output, count })
        : undefined;
    const { passports } = new Assay({ passports: { url, token, apiKey }, ...clientOptions, retries: RETRIES });
    const { ids } = created;
    await upload(passports, inputs, { ...groupingOf(options), signal }, ids);
    if (!options.wait) {
      const documents = options.json ? await Promise.all(ids.map((id) => passports.status(id, { signal }))) : [];
      return printResult(options, { documents }, ids);
    }

    const read: ReadDocument[] = [];
    const failed: TaskFailed[] = [];
    for (const id of ids) {
      try {
        await withProgress((onState) => passports.wait(id, { onState, signal }));
        read.push((await passports.result(id, { language, signal })) as ReadDocument);
      } catch (error) {
        if (!(error instanceof TaskFailed)) throw error;
        failed.push(error);
        process.exitCode = 1;
        console.error(formatTaskFailure(error));
      }
    }
    if (files) return files.write(passports, read, { language, signal });
    const lines = read.flatMap((document, index) => [
      ...(ids.length > 1 ? [...(index > 0 ? [''] : []), `${document.filename}:`] : []),
      ...documentLines(document),
    ]);
    if (read.length > 0 || options.json) {
      await printResult(options, { documents: [...read, ...failed.map(({ state }) => state)] }, lines);
    }
  });
}

interface CreateRequest extends GroupingOptions {
  readonly signal: AbortSignal;
}

interface Inputs {
  readonly pdfs: readonly File[];
  readonly pages: readonly File[];
}

async function splitByKind(files: readonly File[]): Promise<Inputs> {
  const pdfs: File[] = [];
  const pages: File[] = [];
  for (const file of files) ((await isPdf(file.data)) ? pdfs : pages).push(file);
  return { pdfs, pages };
}

/** Adds the id of each document to `ids` as soon as it is accepted. */
async function upload(
  passports: Passports,
  { pdfs, pages }: Inputs,
  request: CreateRequest,
  ids: string[],
): Promise<void> {
  if (pages.length > 0) ids.push(await createFromImages(passports, pages, request));
  for (const file of pdfs) ids.push((await passports.upload(file, request).catch(nameRejected([file]))).items[0]!.id);
}

const inTurn = pLimit(1);
const ATTEMPTS = 5;

/**
 * Makes one document of page images and returns its id. Throws an `OperatorError` if an image is rejected, and uploads none of
 * more images than a PDF can have.
 *
 * Commands with one API key share its uploaded images, and each new document deletes all of them. The documents of this
 * process are therefore created one after another, and the images deleted by another process are uploaded again.
 */
export function createFromImages(
  passports: Passports,
  pages: readonly File[],
  request: CreateRequest,
): Promise<string> {
  const { signal } = request;
  const discard = (ids: readonly string[]) => Promise.allSettled(ids.map((id) => passports.removeImage(id)));
  return inTurn(async () => {
    await checkImageCount(passports, pages.length, signal);
    for (let attempt = 1; ; attempt++) {
      const { image_ids, rejected } = await passports.uploadImages(pages, { signal }).catch(nameRejected(pages));
      if (rejected[0]) {
        await discard(image_ids);
        throw new OperatorError(`${rejected[0].filename}: ${rejected[0].error.message}`);
      }
      try {
        return (await passports.createPdf(image_ids, request)).task_id;
      } catch (error) {
        const { code } = error as AssayError;
        if (code === 'INVALID_IMAGE_IDS' && attempt < ATTEMPTS) continue;
        // Of a service without `max_images_per_pdf`: they count towards the limit of the next document's images.
        if (code === 'TOO_MANY_IMAGES') await discard(image_ids);
        throw error;
      }
    }
  });
}

async function checkImageCount(passports: Passports, count: number, signal: AbortSignal): Promise<void> {
  if (count === 1) return;
  const { max_images_per_pdf: limit } = await passports.images({ signal });
  if (count > limit)
    throw new AssayError({
      code: 'TOO_MANY_IMAGES',
      status: 400,
      message: `A PDF can have at most ${limit} images, not ${count}.`,
    });
}

function nameRejected(files: readonly File[]) {
  return (error: AssayError): never => {
    if (![400, 413, 415].includes(error.status)) throw error;
    throw new OperatorError(`${files.map(({ name }) => name).join(', ')}: ${error.message}`);
  };
}

const isPdf = async (data: Blob) => (await data.slice(0, 1024 + 5).text()).includes('%PDF-');
