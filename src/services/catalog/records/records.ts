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

/** A record that no service made. */
export interface ImportedRecord {
  /** 1..200 characters; not `<a service>:…`. */
  readonly recordId: string;
  readonly title?: string;
  readonly text?: string;
  readonly imageUrl?: string;
  readonly attributes?: JsonObject;
  /** Absent: what the record had, or now. */
  readonly createdAt?: Date;
}

/** What writes the records that people search. */
export interface Records {
  /** Writes these, all or none, each in place of one of the same id; no id may come twice. */
  import(records: readonly ImportedRecord[]): Promise<void>;
  /** Asks for everything that can still be read to be indexed anew; the worker does it. */
  rebuild(): Promise<void>;
  /** Housekeeping: removes records that were indexed more than `retentionDays` ago, what they leave behind, and what came to nothing. */
  tidy(signal: AbortSignal, options: { retentionDays: number }): Promise<void>;
}

export function openRecords({ db, files, log }: { db: Db; files: Files; log: Log }): Records {
  const trash = openTrash({ db, files, log, table: 'catalog_trash' });
  return {
    async import(records) {
      await db.transaction(async (tx) => {
        for (const piece of pieces(records)) await write(tx, piece.map(entryOf));
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

/** So many characters are taken apart in one go: others of this process, and of the database, have their turn in between. */
const PIECE = 500_000;

function* pieces(records: readonly ImportedRecord[]): Generator<ImportedRecord[], void, undefined> {
  let piece: ImportedRecord[] = [];
  let length = 0;
  for (const record of records) {
    piece.push(record);
    length += 1000 + (record.text?.length ?? 0);
    if (length < PIECE) continue;
    yield piece;
    [piece, length] = [[], 0];
  }
  if (piece.length > 0) yield piece;
}

function entryOf({ recordId, title, text = '', imageUrl, attributes = {}, createdAt }: ImportedRecord): Entry {
  const said = valuesIn(attributes).join('\n');
  return {
    recordId,
    service: IMPORT,
    status: 'done',
    ...(createdAt && { createdAt }),
    ...textsOf(title?.trim() || recordId, [text, said].filter((part) => part !== '').join('\n')),
    defects: [],
    result: cleanJson({ attributes }),
    withAttachment: false,
    ...(imageUrl !== undefined && { picture: pictureOf({ url: imageUrl }) }),
  };
}

/** What people may look for in attributes: texts and numbers, at any depth. */
export function valuesIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((each) => valuesIn(each as JsonValue));
}
