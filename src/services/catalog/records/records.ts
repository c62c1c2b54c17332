import type { Db } from '../../../base/db.ts';
import type { Files } from '../../../base/files.ts';
import type { JsonObject, JsonValue } from '../../../base/json.ts';
import type { Log } from '../../../base/log.ts';
import { openTrash } from '../../trash.ts';
import { cleanJson } from './clean.ts';
import { type Entry, IMPORT, pictureOf, textsOf } from './entry.ts';
import { forgetWords } from './forget-words.ts';
import { askForRebuild } from './rebuild.ts';
import { removeLost, removeOld } from './retention.ts';
import { write } from './write.ts';

export interface ImportedRecord {
  /** 1..200 characters; not `<service>:…`. */
  readonly recordId: string;
  readonly title?: string;
  readonly text?: string;
  readonly imageUrl?: string;
  readonly attributes?: JsonObject;
  /** Absent: unchanged, or now for a new record. */
  readonly createdAt?: Date;
}

export interface Records {
  /** Writes all records or none; replaces records with the same id. Ids must be unique. */
  import(records: readonly ImportedRecord[]): Promise<void>;
  /** The worker runs it. */
  rebuild(): Promise<void>;
  /** Deletes old records with their words and pictures, and unreadable feed rows. */
  tidy(signal: AbortSignal, options: { retentionDays: number }): Promise<void>;
}

export function openRecords({ db, files, log }: { db: Db; files: Files; log: Log }): Records {
  const trash = openTrash({ db, files, log, table: 'catalog_trash' });
  return {
    async import(records) {
      await db.transaction(async (tx) => {
        for (const batch of batches(records)) await write(tx, batch.map(entryOf));
      });
      await trash.empty();
    },
    rebuild: () => askForRebuild(db),
    async tidy(signal, { retentionDays }) {
      await removeOld(db, retentionDays, signal);
      await removeLost(db, signal);
      await forgetWords(db);
      await trash.empty(signal);
    },
  };
}

/** Limits the time that the event loop is blocked. */
const BATCH_LENGTH = 500_000;

function* batches(records: readonly ImportedRecord[]): Generator<ImportedRecord[], void, undefined> {
  let batch: ImportedRecord[] = [];
  let length = 0;
  for (const record of records) {
    batch.push(record);
    length += 1000 + (record.text?.length ?? 0);
    if (length < BATCH_LENGTH) continue;
    yield batch;
    [batch, length] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

function entryOf({ recordId, title, text = '', imageUrl, attributes = {}, createdAt }: ImportedRecord): Entry {
  const values = valuesIn(attributes).join('\n');
  return {
    recordId,
    service: IMPORT,
    status: 'done',
    ...(createdAt && { createdAt }),
    ...textsOf(title?.trim() || recordId, [text, values].filter((part) => part !== '').join('\n')),
    defects: [],
    result: cleanJson({ attributes }),
    withAttachment: false,
    ...(imageUrl !== undefined && { picture: pictureOf({ url: imageUrl }) }),
  };
}

/** Texts and numbers at any depth. */
export function valuesIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((each) => valuesIn(each as JsonValue));
}
