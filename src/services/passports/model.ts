import { join } from 'node:path';
import { isUnavailable } from '../../base/db-errors.ts';
import type { JsonValue } from '../../base/json.ts';
import { step } from '../../base/trace.ts';
import { TaskFailure } from '../../tasks/task.ts';
import type { Job, Model, ModelContext, SharedSettings } from '../shared/service.ts';
import { ENGINE_VERSION } from './cache-key.ts';
import type { Extraction, Warning } from './extraction.ts';
import { type ErrorType, failure } from './failures.ts';
import { bundledFile } from './model/bundled-file.ts';
import { loadPages, openDocumentPdf, savePage, saveReading } from './model/document-storage.ts';
import { validateExtraction } from './model/extraction-validation.ts';
import { openFieldFinder } from './model/field-finder.ts';
import { createLlmAssist } from './model/llm-assist.ts';
import { openScanReader } from './model/ocr/read-scan.ts';
import { type PdfProblem, PdfRejected } from './model/pages/pdf.ts';
import { type ReadDocument, readDocument } from './model/read-document.ts';
import { openTemplateLearner } from './model/template-learner.ts';
import { maxWorkTimeMs, readElapsedMs, startWorkTimer } from './model/work-time.ts';
import { loadSchema } from './schema/load-schema.ts';
import type { Settings } from './settings.ts';
import type { TaskInput } from './store/create.ts';
import { type ImageAttempt, postgresPictures } from './store/pictures.ts';

export const MAX_PAGES = 200;
/** Pages with fewer letters and digits are treated as unreadable. */
const MIN_LETTERS = 40;
/** Share of the progress that reading the pages takes. */
const READ_SHARE = 0.95;
/** Each stored checkpoint costs a write to the disk: after this time or share of the progress. */
const CHECKPOINT = { ms: 250, share: 0.1 };
/** The engine's limit is later than an attempt's own. */
const MARGIN_MS = 60_000;

/** Extracts fields with their positions from documents. */
export async function loadModel(deps: {
  context: Pick<ModelContext, 'db' | 'files' | 'log'>;
  settings: Settings;
  shared: Pick<SharedSettings, 'dataDir'>;
  openReader?: typeof openScanReader;
}): Promise<Model> {
  const { context, settings, shared, openReader = openScanReader } = deps;
  const { db, files, log } = context;
  const schema = loadSchema(settings.schemaFile);
  const languages = join(shared.dataDir, 'models', 'ocr');
  const reader = await openReader({ tesseract: settings.tesseract, languages, log });
  const finder = await openFieldFinder(schema, { network: await bundledFile('fields.onnx') });
  const helper = await createLlmAssist(settings);
  const pictures = postgresPictures(db);
  const learner = openTemplateLearner({ db, files, log, schema, finder });
  const limitMs = settings.taskDeadlineSeconds * 1000;

  async function read(job: Job, signal: AbortSignal, onOpen: (pages: number) => void, onPage: (share: number) => void) {
    const { id: task, attempt, worker } = job;
    const current: ImageAttempt = { task, attempt, worker, fileKey: (job.input as unknown as TaskInput).file_key };
    const storage = { files, pictures, log: job.log, reader: `${ENGINE_VERSION} ${reader.name}` };
    const known = await loadPages(current, storage);
    const pdf = await openDocumentPdf(current.fileKey, files, { maxPages: MAX_PAGES, signal });
    // Another attempt reads the only page again: cheaper than to store it each time.
    const checkpoint = pdf.pages > 1;
    try {
      onOpen(pdf.pages);
      const document = await readDocument(pdf, {
        reader,
        known,
        savePage: (page, jpeg) => savePage(page, jpeg, current, { ...storage, checkpoint }),
        log: job.log,
        onPage: (done) => onPage((READ_SHARE * done) / pdf.pages),
        signal,
      });
      await saveReading(document.pages, current, storage);
      return { document, damaged: [...pdf.damaged].sort((a, b) => a - b) };
    } finally {
      await pdf.close();
    }
  }

  return {
    info: () => ({ reader: reader.name, schema: `${schema.id} ${schema.version}`, engine: ENGINE_VERSION }),
    versions: () => [{ version: ENGINE_VERSION }],
    // Two, so that a long scan does not delay a short document; both share the OCR lanes.
    concurrency: 2,
    timeLimitMs: maxWorkTimeMs(limitMs, MAX_PAGES) + MARGIN_MS,

    async run(job) {
      const time = startWorkTimer(job.signal, { limitMs, workedMs: readElapsedMs(job.checkpoint) });
      let last = { ms: time.elapsedMs(), share: 0 };
      const report = (share: number) => {
        const ms = time.elapsedMs();
        const isStep = share - last.share >= CHECKPOINT.share && share < READ_SHARE;
        // A checkpoint is stored at once; the progress with the next renewal of the lease.
        if (ms - last.ms < CHECKPOINT.ms && !isStep) return job.report(share);
        last = { ms, share };
        job.report(share, { worked_ms: Math.round(ms) });
      };
      try {
        const { document, damaged } = await step('read pages', () => read(job, time.signal, time.extend, report));
        const templates = await step('load templates', () => learner.templatesFor(job.id, document.pages, time.signal));
        const found = await step('find fields', () => finder.find(document.pages, time.signal, templates));
        if (found.template) await learner.recordUse(found.template.id);
        const { fields, warnings } = await helper.improveFields(
          { ...found, pages: document.pages, schema, job },
          time.signal,
        );
        const extraction: Extraction = {
          schema: { id: schema.id, version: schema.version },
          fields,
          pages: document.pages.length,
          sheets: document.sheets,
          engine: {
            ...{ llm_provider: helper.provider, model: helper.model, version: ENGINE_VERSION },
            ...(found.template && { template: found.template }),
          },
          warnings: [...pageWarnings(damaged, document.timedOutPages), ...warnings],
        };
        const emptyError = emptyResultError(extraction, document);
        if (emptyError) throw new TaskFailure(failure(emptyError));
        const problem = validateExtraction(extraction, schema);
        if (problem) throw new TaskFailure(failure('EXTRACTION_INVALID'), { cause: new Error(problem) });
        return { result: extraction as unknown as JsonValue };
      } catch (error) {
        if (job.signal.aborted) throw error;
        throw time.isExpired ? new TaskFailure(failure('TIMEOUT')) : toTaskFailure(error, job);
      } finally {
        time.stop();
      }
    },

    async close() {
      await learner.close();
      await Promise.all([reader.close(), finder.close()]);
    },
  };
}

function pageWarnings(damaged: readonly number[], unread: readonly number[]): Warning[] {
  const all: Warning[] = [
    { code: 'PAGE_DAMAGED', message: `These pages of the PDF cannot be opened: ${damaged.join(', ')}.` },
    {
      code: 'PAGE_UNREAD',
      message: `These pages took too long to read and are treated as empty: ${unread.join(', ')}.`,
    },
  ];
  return all.filter((_, i) => [damaged, unread][i]!.length > 0);
}

function emptyResultError({ fields }: Extraction, { pages }: ReadDocument): ErrorType | undefined {
  if (Object.values(fields).some(({ value }) => value !== null)) return undefined;
  let letters = 0;
  for (const { words } of pages) for (const { text } of words) letters += text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  return letters < MIN_LETTERS ? 'UNREADABLE_SCAN' : 'NO_FIELDS_FOUND';
}

const FROM_PDF_PROBLEM: Record<PdfProblem, ErrorType> = {
  encrypted: 'PDF_ENCRYPTED',
  corrupt: 'PDF_CORRUPT',
  too_many_pages: 'PDF_TOO_MANY_PAGES',
  too_complex: 'PDF_TOO_COMPLEX',
  unsupported: 'UNSUPPORTED_DOCUMENT',
};

/** Unexpected errors (a killed OCR process, an unavailable database) are transient. */
function toTaskFailure(error: unknown, { log }: Job): TaskFailure {
  if (error instanceof TaskFailure) return error;
  if (error instanceof PdfRejected) return new TaskFailure(failure(FROM_PDF_PROBLEM[error.problem]), { cause: error });
  if (!isUnavailable(error)) log.error({ err: error }, 'a document could not be read: unexpected error');
  return new TaskFailure(failure('INTERNAL_ERROR'), { transient: true, cause: error });
}
