import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { OperatorError } from '../../base/operator-error.ts';
import {
  Assay,
  type DoneRecording,
  type GroupingOptions,
  type Passports,
  type Photo,
  type ReadDocument,
} from '../../client/index.ts';
import { Classification } from '../../services/defectoscopy/api-schema.ts';
import { type ResultTable, resultTable } from '../../services/shared/batches/results.ts';
import { Transcription } from '../../services/stt/api-schema.ts';
import { type ClientCommandOptions, groupingOf, RETRIES, runClientCommand } from '../client-command.ts';
import { createFromImages, type ExtractOptions } from '../extract.ts';
import { isFolder, openInputFile, readVocabularyFile, writeOutputFile } from '../local-files.ts';
import type { LimitWaits } from '../rate-limit-notice.ts';
import type { Server } from '../resolve-server.ts';
import type { PredictOptions, TranscribeOptions } from '../task-commands.ts';
import { type EndOf, withTaskEnds } from '../task-ends.ts';
import { onOneLine } from '../terminal.ts';
import { type EXTENSIONS, findItems, type Item } from './find-items.ts';
import { Manifest } from './manifest.ts';
import { type FolderWork, type Outcome, runFolder } from './run-folder.ts';
import { report, writeTable } from './write-table.ts';

type FolderOptions<Options> = Options & ClientCommandOptions & { readonly concurrency?: number };

/** On another server each request takes longer. */
const CONCURRENCY = { local: 8, specification: 64 } as const;
/** Files that a message names. */
const MAX_NAMED = 5;

/** `assay predict FOLDER --output photos.csv`. */
export async function predictFolder(
  folder: string,
  options: FolderOptions<PredictOptions>,
  signal: AbortSignal,
): Promise<void> {
  const output = await requireTable(options, 'photos.csv or photos.jsonl');
  return runClientCommand('defectoscopy', options, signal, async ({ url, token, ...clientOptions }) => {
    const { defectoscopy } = new Assay({ defectoscopy: { url, token }, ...clientOptions, retries: RETRIES });
    const { priority = 'batch', modelVersion, inspect } = options;
    const request = { priority, modelVersion, inspect, ...groupingOf(options) };
    const createWork = (endOf: EndOf): FolderWork<NonNullable<Photo['result']>> => ({
      upload: (item, signal) => uploadFile(defectoscopy, item, signal),
      create: ({ title }, { key: idempotencyKey, url }, signal) =>
        defectoscopy.predict(url!, { ...request, fileName: fileNameOf(title), idempotencyKey, signal }),
      finish: async (task, _item, signal) =>
        (await defectoscopy.wait(task, { ended: endOf(task.task_id), signal })).result,
    });
    const manifest = `${output}.progress`;
    const variant = inspect === undefined ? modelVersion : `${modelVersion ?? ''} ${inspect}`;
    const place = { ...options, ...clientOptions, output, manifest, variant, signal };
    const outcomes = await withTaskEnds(defectoscopy, place, (endOf) =>
      run(folder, 'photos', createWork(endOf), place),
    );
    await writeTable(output, outcomes, resultTable(Classification));
    report(outcomes, output);
  });
}

/**
 * `assay transcribe FOLDER --output texts --format srt`: a transcript per recording; with `--output texts.csv` a table with
 * the texts.
 */
export async function transcribeFolder(
  folder: string,
  options: FolderOptions<TranscribeOptions>,
  signal: AbortSignal,
): Promise<void> {
  const isTable = isTablePath(options.output);
  if (isTable && options.format !== undefined) throw new OperatorError('A table of transcripts has no --format.');
  const output = isTable
    ? await requireTable(options, 'texts.csv')
    : requireFolder(options, 'a folder for the transcripts, or texts.csv or texts.jsonl');
  return runClientCommand('stt', options, signal, async ({ url, token, ...clientOptions }) => {
    const { stt } = new Assay({ stt: { url, token }, ...clientOptions, retries: RETRIES });
    const { language, format = 'txt' } = options;
    const vocabulary = await readVocabularyFile(options.vocabulary);
    const request = { language, vocabulary, ...groupingOf(options) };
    if (!isTable) await makeFolder(output);
    const fileOf = ({ outputName }: Item) => join(output, `${outputName}.${format}`);
    const createWork = (endOf: EndOf): FolderWork<DoneRecording['result'] | { readonly output: string }> => ({
      upload: (item, signal) => uploadFile(stt, item, signal),
      create: ({ title }, { key: idempotencyKey, url }, signal) =>
        stt.transcribe(url!, { ...request, fileName: fileNameOf(title), idempotencyKey, signal }),
      async finish(task, item, signal) {
        const { result } = await stt.wait(task, { ended: endOf(task.task_id), signal });
        if (isTable) return result;
        const text =
          format === 'json'
            ? `${JSON.stringify(result, null, 2)}\n`
            : await stt.transcript(task.task_id, format, { signal });
        return { output: await writeWithFolder(fileOf(item), text) };
      },
      ...(!isTable && { fileOf }),
    });
    const manifest = isTable ? `${output}.progress` : join(output, `.assay-${format}.progress`);
    const variant = vocabulary ? `${language ?? ''} ${digestOf(vocabulary)}` : language;
    const place = { ...options, ...clientOptions, output, manifest, variant, signal };
    const outcomes = await withTaskEnds(stt, place, (endOf) => run(folder, 'recordings', createWork(endOf), place));
    if (isTable) await writeTable(output, outcomes, resultTable(Transcription));
    report(outcomes, output);
  });
}

const digestOf = (terms: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(terms)).digest('base64url');

/** `assay extract FOLDER --output passports.csv`, or with `--format xlsx` a file per document in a folder. */
export async function extractFolder(
  folder: string,
  options: FolderOptions<ExtractOptions>,
  signal: AbortSignal,
): Promise<void> {
  const { format, language } = options;
  const isExport = format === 'xlsx' || format === 'pdf';
  const output = isExport
    ? requireFolder(options, 'a folder for the files')
    : await requireTable(options, 'passports.csv or passports.jsonl');
  if (format === 'pdf' && resolve(output) === resolve(folder)) {
    throw new OperatorError('With --format pdf, --output must be another folder: the next run would read its PDFs.');
  }
  return runClientCommand('passports', options, signal, async ({ url, token, apiKey, ...clientOptions }) => {
    const { passports } = new Assay({ passports: { url, token, apiKey }, ...clientOptions, retries: RETRIES });
    if (isExport) await makeFolder(output);
    const fileOf = ({ outputName }: Item) => join(output, `${outputName}.${format}`);
    const work: FolderWork<ReadDocument | { readonly output: string }> = {
      create: async (item, { key: idempotencyKey }, signal) => ({
        task_id: await createDocument(passports, item, { ...groupingOf(options), idempotencyKey, signal }),
      }),
      async finish({ task_id: id }, item, signal) {
        await passports.wait(id, { signal });
        if (!isExport) return (await passports.result(id, { language, signal })) as ReadDocument;
        const exported =
          format === 'xlsx'
            ? passports.exportExcel(id, { language, signal })
            : passports.exportPdf(id, { language, signal });
        return { output: await writeWithFolder(fileOf(item), await exported) };
      },
      ...(isExport && { fileOf }),
    };
    const manifest = isExport ? join(output, `.assay-${format}.progress`) : `${output}.progress`;
    const variant = language;
    const outcomes = await run(folder, 'documents', work, {
      ...options,
      ...clientOptions,
      output,
      manifest,
      variant,
      signal,
    });
    if (!isExport) await writeTable(output, outcomes, documentTable(outcomes as Outcome<ReadDocument>[]));
    report(outcomes, output);
  });
}

/** A column per field outside tables. */
function documentTable(outcomes: readonly Outcome<ReadDocument>[]): ResultTable {
  const keys = outcomes.flatMap(({ result }) => (result ? Object.keys(result.fields) : []));
  return {
    columns: [...new Set(keys)].filter((key) => !/:\d+\./u.test(key)),
    cells(body) {
      const { result } = (JSON.parse(body) as { data: { result: ReadDocument } }).data;
      return Object.fromEntries(Object.entries(result.fields).map(([key, { value }]) => [key, value]));
    },
  };
}

/** The end of a long path, as in a batch. */
const fileNameOf = (title: string): string => [...title].slice(-255).join('');

const uploadFile = async (service: Pick<Assay['stt'], 'upload'>, { paths }: Item, signal: AbortSignal) =>
  (await service.upload((await openInputFile(paths[0]!)).data, { signal })).url;

async function createDocument(
  passports: Passports,
  { paths }: Item,
  request: GroupingOptions & { readonly idempotencyKey: string; readonly signal: AbortSignal },
): Promise<string> {
  const files = await Promise.all(paths.map(openInputFile));
  if (extname(paths[0]!).toLowerCase() === '.pdf') return (await passports.upload(files, request)).items[0]!.id;
  // Uploaded again, the images have other ids.
  const { idempotencyKey: _, ...grouping } = request;
  return createFromImages(passports, files, grouping);
}

async function run<Result>(
  folder: string,
  kind: keyof typeof EXTENSIONS,
  work: FolderWork<Result>,
  {
    output,
    manifest: path,
    variant: ofResults,
    project,
    tag,
    polling = 'local',
    concurrency = CONCURRENCY[polling],
    limitWaits,
    signal,
  }: {
    output: string;
    manifest: string;
    /** The option that changes results: with another one, items start again. */
    variant: string | undefined;
    project?: string;
    tag?: readonly string[];
    polling?: Server['polling'];
    concurrency?: number;
    limitWaits: LimitWaits;
    signal: AbortSignal;
  },
): Promise<Outcome<Result>[]> {
  const found = await findItems(folder, kind, output);
  for (const { name, paths } of found) {
    if (paths.length > 1 && dirname(paths[0]!) === join(folder)) warnOfJoined(name, paths);
  }
  const isGrouped = project !== undefined || tag !== undefined;
  const variant = isGrouped ? `${ofResults ?? ''} ${JSON.stringify([project, tag])}` : ofResults;
  const items =
    variant === undefined ? found : found.map((item) => ({ ...item, version: `${item.version} ${variant}` }));
  const manifest = await Manifest.open<Result>(path);
  try {
    return await runFolder(items, work, { manifest, concurrency, limitWaits, signal });
  } finally {
    await manifest.close();
  }
}

/** Images beside each other may be of several passports. */
function warnOfJoined(name: string, paths: readonly string[]): void {
  const names = paths.slice(0, MAX_NAMED).map((path) => basename(path));
  const more = paths.length > names.length ? ` and ${paths.length - names.length} more` : '';
  const joined = `${paths.length} images become one document, ${name}: ${names.join(', ')}${more}.`;
  console.error(onOneLine(`${joined} If they are of several passports, give each a subfolder.`));
}

async function requireTable(options: ClientCommandOptions, example: string): Promise<string> {
  const output = requireOutput(options, example, { isTable: true });
  if (await isFolder(output)) throw new OperatorError(`${output} is a folder.`);
  return output;
}

const requireFolder = (options: ClientCommandOptions, example: string): string =>
  requireOutput(options, example, { isTable: false });

const isTablePath = (path = ''): boolean => ['.csv', '.jsonl'].includes(extname(path).toLowerCase());

function requireOutput(
  { output, wait, json }: ClientCommandOptions,
  example: string,
  { isTable }: { isTable: boolean },
): string {
  if (!wait || json) throw new OperatorError('A folder cannot be used with --no-wait or --json.');
  if (output === undefined) throw new OperatorError(`A folder needs --output: ${example}.`);
  if (isTablePath(output) !== isTable) {
    throw new OperatorError(`A folder needs --output: ${example}, not ${output}.`);
  }
  return output;
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`The folder ${path} cannot be created (${error.code}).`);
  });
}

async function writeWithFolder(path: string, content: string | Uint8Array): Promise<string> {
  await makeFolder(dirname(path));
  await writeOutputFile(path, content);
  return path;
}
