import type { Db } from '../../../base/db.ts';
import type { Files } from '../../../base/files.ts';
import type { JsonObject, JsonValue } from '../../../base/json.ts';
import type { Log } from '../../../base/log.ts';
import { createFileDeletionQueue } from '../../shared/file-deletion-queue.ts';
import { createTransactionQueue } from '../transaction-queue.ts';
import { type Entry, fieldsOf, groupingFields, groupingOf, IMPORT_SERVICE, pictureOf, textsOf } from './entry.ts';
import { requestRebuild } from './rebuild.ts';
import { deleteExpiredRecords, deleteOldFeedRowIds, deleteUnusedCombinations, pruneWords } from './retention.ts';
import { toStorableJson } from './storable-text.ts';
import { writeRecords } from './write.ts';

export interface ImportedRecord {
  /** 1..200 characters; not `<service>:…`. */
  readonly recordId: string;
  readonly title?: string;
  readonly text?: string;
  readonly imageUrl?: string;
  readonly attributes?: JsonObject;
  readonly project?: string;
  readonly tags?: readonly string[];
  /** Absent: unchanged, or now for a new record. */
  readonly createdAt?: Date;
}

/** Imports run one batch at a time anyway. A batch waits as long as a statement. */
const QUEUE = { max: 1, waitMs: 30_000 };

export type Records = ReturnType<typeof createRecords>;

export function createRecords({ db, files, log }: { db: Db; files: Files; log: Log }) {
  const deletions = createFileDeletionQueue({ db, files, log }, { table: 'catalog_files_to_delete' });
  const transaction = createTransactionQueue(db, QUEUE);
  return {
    /**
     * Replaces records with the same id; ids must be unique. Commits each batch, so that other writers wait for one batch only.
     * `onWritten` gets the number of records of each; after an error the import can be repeated.
     */
    async import(records: readonly ImportedRecord[], onWritten: (count: number) => void = () => {}): Promise<void> {
      for (const batch of batches(records)) {
        const entries = batch.map(entryOf);
        await transaction((tx) => writeRecords(tx, entries));
        onWritten(batch.length);
      }
      await deletions.drain();
    },
    /** The worker runs it. */
    requestRebuild: () => requestRebuild(db),
    /** Deletes old records with their words, pictures and facets. */
    async cleanup(signal: AbortSignal, { retentionDays }: { retentionDays: number }): Promise<void> {
      await deleteExpiredRecords(db, retentionDays, signal);
      await deleteOldFeedRowIds(db);
      await deleteUnusedCombinations(db, signal);
      await pruneWords(db);
      await deletions.drain(signal);
    },
  };
}

/** Of texts and attributes. Limits the time that the event loop is blocked and that other writers wait. */
const BATCH_LENGTH = 500_000;

function* batches(records: readonly ImportedRecord[]): Generator<ImportedRecord[], void, undefined> {
  let batch: ImportedRecord[] = [];
  let length = 0;
  for (const record of records) {
    batch.push(record);
    length += 1000 + (record.text?.length ?? 0) + JSON.stringify(record.attributes ?? {}).length;
    if (length < BATCH_LENGTH) continue;
    yield batch;
    [batch, length] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

function entryOf(record: ImportedRecord): Entry {
  const { recordId, title, text = '', imageUrl, attributes = {}, createdAt } = record;
  const values = attributeValues(attributes).join('\n');
  return {
    recordId,
    service: IMPORT_SERVICE,
    status: 'done',
    ...(createdAt && { createdAt }),
    ...textsOf(title?.trim() || recordId, [text, values].filter((part) => part !== '').join('\n')),
    defects: [],
    ...groupingOf(record),
    fields: [...fieldsOf(parseNumbers(attributes)), ...groupingFields(record)],
    result: toStorableJson({ attributes }),
    ...(imageUrl !== undefined && { picture: pictureOf({ url: imageUrl }) }),
  };
}

/** At most 15 digits before the point: integers of more are identifiers, which a double cannot represent. */
const DECIMAL = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/** Cells of CSV and XLSX are strings. */
const parseNumbers = (attributes: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value,
    ]),
  );

/** Texts and numbers at any depth. */
export function attributeValues(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((each) => attributeValues(each as JsonValue));
}
