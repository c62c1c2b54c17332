import { mkdir } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { OperatorError } from '../../base/operator-error.ts';
import { Assay, AssayError, type Passports, type Photo, type ReadDocument } from '../../client/index.ts';
import { type ClientCommandOptions, runClientCommand } from '../client-command.ts';
import type { ExtractOptions } from '../extract.ts';
import { openInputFile, writeOutputFile } from '../local-files.ts';
import type { PredictOptions, TranscribeOptions } from '../task-commands.ts';
import { type EXTENSIONS, findItems, type Item } from './find-items.ts';
import { Manifest } from './manifest.ts';
import { type FolderWork, type Outcome, runFolder } from './run-folder.ts';
import { report, writeTable } from './write-table.ts';

type FolderOptions<Options> = Options & ClientCommandOptions & { readonly concurrency?: number };

const CONCURRENCY = 8;

/** `assay predict FOLDER --output photos.csv`. */
export function predictFolder(
  folder: string,
  options: FolderOptions<PredictOptions>,
  signal: AbortSignal,
): Promise<void> {
  const output = requireOutput(options, 'photos.csv or photos.jsonl');
  return runClientCommand('defectoscopy', options, signal, async ({ url, token, ...clientOptions }) => {
    const { defectoscopy } = new Assay({ defectoscopy: { url, token }, ...clientOptions });
    const { priority = 'batch', modelVersion } = options;
    const work: FolderWork<NonNullable<Photo['result']>> = {
      create: async ({ paths }, signal) => {
        const { data } = await openInputFile(paths[0]!);
        return (await defectoscopy.predict(data, { priority, modelVersion, signal })).task_id;
      },
      finish: async (task_id, _item, signal) => (await defectoscopy.wait({ task_id }, { signal })).result,
    };
    const outcomes = await run(folder, 'photos', work, { ...options, manifest: `${output}.progress`, signal });
    await writeTable(output, outcomes, ({ surface, masters, defects }) => ({
      surface,
      ...columnsOf('group', masters),
      ...columnsOf('defect', defects),
    }));
    report(outcomes, output);
  });
}

const columnsOf = (name: string, scored: readonly { readonly name: string; readonly conf: number }[]) => ({
  [`${name}s`]: scored.map((one) => one.name).join('; '),
  [`${name}_confidences`]: scored.map(({ conf }) => conf.toFixed(3)).join('; '),
});

/** `assay transcribe FOLDER --output texts --format srt`: a transcript per recording. */
export function transcribeFolder(
  folder: string,
  options: FolderOptions<TranscribeOptions>,
  signal: AbortSignal,
): Promise<void> {
  const output = requireOutput(options, 'a folder for the transcripts');
  return runClientCommand('stt', options, signal, async ({ url, token, ...clientOptions }) => {
    const { stt } = new Assay({ stt: { url, token }, ...clientOptions });
    const { language, format = 'txt' } = options;
    await makeFolder(output);
    const work: FolderWork<{ readonly output: string }> = {
      create: async ({ paths }, signal) =>
        (await stt.transcribe((await openInputFile(paths[0]!)).data, { language, signal })).task_id,
      async finish(task_id, { name }, signal) {
        const { result } = await stt.wait({ task_id }, { signal });
        const text =
          format === 'json'
            ? `${JSON.stringify(result, null, 2)}\n`
            : await stt.transcript(task_id, format, { signal });
        return { output: await writeInFolder(output, `${name}.${format}`, text) };
      },
    };
    const manifest = join(output, `.assay-${format}.progress`);
    report(await run(folder, 'recordings', work, { ...options, manifest, signal }), output);
  });
}

/** `assay extract FOLDER --output passports.csv`, or with `--format xlsx` a file per document in a folder. */
export function extractFolder(
  folder: string,
  options: FolderOptions<ExtractOptions>,
  signal: AbortSignal,
): Promise<void> {
  const { format, language } = options;
  const isExport = format === 'xlsx' || format === 'pdf';
  const output = requireOutput(options, isExport ? 'a folder' : 'passports.csv or passports.jsonl');
  return runClientCommand('passports', options, signal, async ({ url, token, apiKey, ...clientOptions }) => {
    const { passports } = new Assay({ passports: { url, token, apiKey }, ...clientOptions });
    if (isExport) await makeFolder(output);
    const work: FolderWork<ReadDocument | { readonly output: string }> = {
      create: (item, signal) => createDocument(passports, item, signal),
      async finish(id, { name }, signal) {
        await passports.wait(id, { signal });
        if (!isExport) return (await passports.result(id, { language, signal })) as ReadDocument;
        const exported =
          format === 'xlsx'
            ? passports.exportExcel(id, { language, signal })
            : passports.exportPdf(id, { language, signal });
        const file = name === '.' ? basename(folder) : name;
        return { output: await writeInFolder(output, `${file}.${format}`, await exported) };
      },
    };
    const manifest = isExport ? join(output, `.assay-${format}.progress`) : `${output}.progress`;
    const outcomes = await run(folder, 'documents', work, { ...options, manifest, signal });
    if (!isExport) await writeTable(output, outcomes as Outcome<ReadDocument>[], ({ fields }) => valuesOf(fields));
    report(outcomes, output);
  });
}

/** Values outside tables. */
const valuesOf = (fields: ReadDocument['fields']) =>
  Object.fromEntries(Object.entries(fields).flatMap(([key, { value }]) => (/:\d+\./u.test(key) ? [] : [[key, value]])));

async function createDocument(passports: Passports, { paths }: Item, signal: AbortSignal): Promise<string> {
  const files = await Promise.all(paths.map(openInputFile));
  if (extname(paths[0]!).toLowerCase() === '.pdf') return (await passports.upload(files, { signal })).items[0]!.id;
  const { image_ids, rejected } = await passports.uploadImages(files, { signal });
  if (rejected[0]) {
    await Promise.all(image_ids.map((id) => passports.removeImage(id)));
    const { filename, error } = rejected[0];
    throw new AssayError({ code: error.code, message: `${filename}: ${error.message}`, status: 415 });
  }
  return (await passports.createPdf(image_ids, { signal })).task_id;
}

async function run<Result>(
  folder: string,
  kind: keyof typeof EXTENSIONS,
  work: FolderWork<Result>,
  {
    manifest: path,
    concurrency = CONCURRENCY,
    signal,
  }: { manifest: string; concurrency?: number; signal: AbortSignal },
): Promise<Outcome<Result>[]> {
  const items = await findItems(folder, kind);
  const manifest = await Manifest.open<Result>(path);
  try {
    return await runFolder(items, work, { manifest, concurrency, signal });
  } finally {
    await manifest.close();
  }
}

function requireOutput({ output, wait, json }: ClientCommandOptions, example: string): string {
  if (!wait || json) throw new OperatorError('A folder cannot be used with --no-wait or --json.');
  if (output === undefined) throw new OperatorError(`A folder needs --output: ${example}.`);
  return output;
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`The folder ${path} cannot be created (${error.code}).`);
  });
}

async function writeInFolder(folder: string, name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await makeFolder(dirname(path));
  await writeOutputFile(path, content);
  return path;
}
