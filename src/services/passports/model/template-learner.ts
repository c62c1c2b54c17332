import type { Db } from '../../../base/db.ts';
import { isUnavailable } from '../../../base/db-errors.ts';
import { isStorageUnavailable } from '../../../base/files/storage-unavailable.ts';
import type { Files } from '../../../base/files.ts';
import type { JsonValue } from '../../../base/json.ts';
import type { Log } from '../../../base/log.ts';
import { loop } from '../../../base/loop.ts';
import { withTimeLimit } from '../../../base/time-limit.ts';
import type { CompletedDocument } from '../documents.ts';
import type { ReadPage } from '../page-geometry.ts';
import { presentFields } from '../present.ts';
import { listReview } from '../review.ts';
import { resolveKey } from '../schema/keys.ts';
import type { Schema } from '../schema/schema.ts';
import {
  type CorrectedDocument,
  findCandidates,
  findOwner,
  findWaitingOwner,
  forget,
  nextCorrected,
  recordUse,
  type StoredTemplate,
  saveLesson,
  withOwner,
} from '../store/lessons.ts';
import { openReading } from './document-storage.ts';
import type { FieldFinder } from './field-finder.ts';
import type { ConfirmedValue } from './templates/learn-lesson.ts';
import type { Lesson } from './templates/lesson.ts';
import type { Template } from './templates/match-templates.ts';
import { lessonHashes, pageHashes, usedLesson } from './templates/teach.ts';

const INTERVAL_MS = 2000;
/** Below the limit of idle transactions (30 s). A long document takes less than a second on an idle machine. */
const LEARN_LIMIT_MS = 20_000;

/** Learns from corrections: soon after an edit, and before the next document of the same owner is read. */
export function openTemplateLearner(deps: { db: Db; files: Files; log: Log; schema: Schema; finder: FieldFinder }) {
  const { db, files, log, schema, finder } = deps;
  const stop = new AbortController();
  const running = loop(learnWaiting, {
    intervalMs: INTERVAL_MS,
    maxIntervalMs: 30_000,
    signal: stop.signal,
    onError: (err) => log.warn({ err }, 'corrections could not be learned; will retry'),
  });

  async function learnWaiting(): Promise<void> {
    for (let owner = await findWaitingOwner(db); owner && !stop.signal.aborted; owner = await findWaitingOwner(db)) {
      await learnFor(owner, stop.signal);
    }
  }

  async function learnFor(owner: string, signal: AbortSignal): Promise<void> {
    for (let more = true; more && !signal.aborted; ) {
      more = await withOwner(db, owner, async (tx) => {
        const corrected = await nextCorrected(tx, owner);
        if (!corrected) return false;
        const { document, edits } = corrected;
        const taught = await withTimeLimit(LEARN_LIMIT_MS, signal, (limited) =>
          learnFrom(corrected, owner, limited),
        ).catch((error: unknown) => {
          if (signal.aborted || isUnavailable(error) || isStorageUnavailable(error)) throw error;
          // The document would fail again.
          log.error({ err: error, document: document.id }, 'a corrected document teaches no template');
          return undefined;
        });
        if (taught) {
          const saved = await saveLesson(tx, owner, { document: document.id, ...taught });
          if (saved === 'too-many') log.warn({ owner }, 'the owner has too many templates; disable or delete some');
        }
        await forget(tx, document.id, edits);
        return true;
      });
    }
  }

  async function learnFrom({ document, readingKey }: CorrectedDocument, owner: string, signal: AbortSignal) {
    const { fileKey, extraction } = document;
    const pages = await openReading({ fileKey, sheets: extraction.sheets, readingKey }, files, signal);
    if (!pages) return undefined;
    const fields = presentFields(document, schema);
    const unchecked = new Set(listReview(document, fields).map(({ field }) => field.key));
    const visible = fields.map(({ key, value, original, editedAt, page, bbox }) => ({
      ...{ key, value, original, page, bbox },
      edited: editedAt !== null && value !== original,
      doubtful: unchecked.has(key),
    }));
    const values = [...visible, ...removedCells(document, schema)];
    // After the last correction is taken back, the document teaches nothing.
    if (!values.some(({ edited }) => edited)) return { lesson: undefined, template: undefined, dropped: [] };
    const candidates = await findCandidates(db, owner, pageHashes(pages), { all: true, except: document.id });
    const taught = await finder.learn({ pages, values, templates: candidates.map(toTemplate) }, signal);
    const { template, lesson, dropped } = taught;
    const stored = lesson && {
      document: document.id,
      lesson: lesson as unknown as JsonValue,
      hashes: lessonHashes(lesson),
    };
    return { template, lesson: stored, dropped };
  }

  return {
    /** The templates that a document may match, after all earlier corrections of its owner are learned. */
    async templatesFor(document: string, pages: readonly ReadPage[], signal: AbortSignal): Promise<Template[]> {
      const { owner, isWaiting, hasTemplates } = (await findOwner(db, document)) ?? {};
      if (owner === undefined) return [];
      if (isWaiting) await learnFor(owner, signal);
      else if (!hasTemplates) return [];
      const stored = await findCandidates(db, owner, pageHashes(pages));
      return stored.map(toTemplate).map(({ id, lessons }) => ({ id, lessons: lessons.map(usedLesson) }));
    },
    recordUse: (template: string) => recordUse(db, template),
    async close(): Promise<void> {
      stop.abort();
      await running;
    },
  };
}

/** Cells that a person emptied; their rows may not be visible any more. */
function removedCells({ extraction, edits }: CompletedDocument, schema: Schema): ConfirmedValue[] {
  return edits.flatMap(({ key, value }) => {
    const read = Object.hasOwn(extraction.fields, key) ? extraction.fields[key] : undefined;
    if (value !== null || !read || read.value === null || resolveKey(schema, key)?.kind !== 'cell') return [];
    return [{ key, value, original: read.value, edited: true, page: read.page, bbox: read.bbox }];
  });
}

const toTemplate = ({ id, lessons }: StoredTemplate) => ({
  id,
  lessons: lessons.map(({ lesson, ...stored }) => ({ ...stored, lesson: lesson as unknown as Lesson })),
});
