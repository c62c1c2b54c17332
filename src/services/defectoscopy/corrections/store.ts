import type { Db, Queryable } from '../../../base/db.ts';
import { lockCompleted } from '../../../tasks/locks.ts';
import type { Attachment } from '../result.ts';
import { isEqual, type Labels } from './correction.ts';

export interface Correction extends Labels {
  readonly version: number;
  /** The reviewer left the labels of the result unchanged. */
  readonly confirmed: boolean;
  readonly actor: string;
  readonly at: Date;
}

/** A history is read as a whole, so it is bounded. */
export const MAX_CORRECTIONS = 100;

/** Oldest first. */
export async function readCorrections(db: Queryable, taskId: string): Promise<Correction[]> {
  return (await db.query<Correction>(HISTORY, [taskId])).rows;
}

/** The current corrections of these tasks. */
export async function readLatest(db: Queryable, taskIds: readonly string[]): Promise<Map<string, Correction>> {
  const { rows } = await db.query<Correction & { task_id: string }>(LATEST, [taskIds]);
  return new Map(rows.map(({ task_id, ...correction }) => [task_id, correction]));
}

/** A corrected photo, with the current correction. */
export interface CorrectedPhoto extends Labels {
  readonly taskId: string;
  readonly correctedAt: Date;
  /** {@link packVector} */
  readonly features: Buffer;
}

const PAGE = 200;

/** The corrected photos whose features this network computed, by task. */
export async function* readCorrectedPhotos(db: Queryable, network: string): AsyncGenerator<CorrectedPhoto> {
  for (let after = ''; ; ) {
    const { rows } = await db.query<CorrectedPhoto>(CORRECTED_PHOTOS, [network, after, PAGE]);
    yield* rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.taskId;
  }
}

/** The numbers of photos whose features this network computed, and of others. */
export async function countCorrectedPhotos(
  db: Queryable,
  network: string,
): Promise<{ usable: number; ofOtherNetworks: number; withoutFeatures: number }> {
  const { rows } = await db.query<{ usable: number; ofOtherNetworks: number; withoutFeatures: number }>(COUNT, [
    network,
  ]);
  return rows[0]!;
}

/** Of all networks. */
export async function countPhotosWithFeatures(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*) from defectoscopy_corrected_photos where version > 0 and features is not null',
  );
  return rows[0]!.count;
}

export interface NewCorrection {
  readonly taskId: string;
  readonly modelVersion: string;
  readonly training: Attachment['training'];
  readonly labels: Labels;
  readonly confirmed: boolean;
  readonly actor: string;
  readonly requestId: string;
  /** Undefined: any. */
  readonly ifVersion: number | undefined;
}

export type Corrected = 'missing' | 'conflict' | 'full' | readonly Correction[];

/** Appends a correction; concurrent ones are serialized. A repetition by the same reviewer changes nothing. */
export async function correct(db: Db, added: NewCorrection): Promise<Corrected> {
  const { taskId, modelVersion, training, labels, confirmed, actor, requestId, ifVersion } = added;
  return db.transaction(async (tx) => {
    if (!(await lockCompleted(tx, [taskId])).has(taskId)) return 'missing';
    const features = training ? Buffer.from(training.features, 'base64') : null;
    await tx.query(INSERT_PHOTO, [taskId, modelVersion, training?.network ?? null, features]);
    await tx.query('select from defectoscopy_corrected_photos where task_id = $1 for update', [taskId]);
    const history = await readCorrections(tx, taskId);
    if (ifVersion !== undefined && ifVersion !== history.length) return 'conflict';
    const current = history.at(-1);
    if (current && current.actor === actor && isEqual(current, labels)) return history;
    if (history.length >= MAX_CORRECTIONS) return 'full';
    const { surface, master, defects } = labels;
    const version = history.length + 1;
    await tx.query(INSERT, [taskId, version, surface, master, defects, confirmed, actor, requestId]);
    await tx.query(RAISE, [taskId, version]);
    return readCorrections(tx, taskId);
  });
}

export async function deleteOldCorrections(db: Queryable, days: number): Promise<void> {
  await db.query('delete from defectoscopy_corrected_photos where corrected_at < now() - make_interval(days => $1)', [
    days,
  ]);
}

const HISTORY = `
  select version, surface, master, defects, confirmed, actor, at
    from defectoscopy_corrections where task_id = $1 order by version`;

const LATEST = `
  select distinct on (task_id) task_id, version, surface, master, defects, confirmed, actor, at
    from defectoscopy_corrections where task_id = any($1::text[]) order by task_id, version desc`;

const CORRECTED_PHOTOS = `
  select task_id as "taskId", corrected_at as "correctedAt", features, surface, master, defects
    from defectoscopy_corrected_photos p join defectoscopy_corrections c using (task_id, version)
   where p.network = $1 and p.features is not null and task_id > $2
   order by task_id limit $3`;

const COUNT = `
  select count(*) filter (where features is null)::integer as "withoutFeatures",
         count(*) filter (where features is not null and network = $1)::integer as usable,
         count(*) filter (where features is not null and network <> $1)::integer as "ofOtherNetworks"
    from defectoscopy_corrected_photos where version > 0`;

const INSERT_PHOTO = `
  insert into defectoscopy_corrected_photos (task_id, model_version, network, features)
  values ($1, $2, $3, $4) on conflict do nothing`;

const INSERT = `
  insert into defectoscopy_corrections (task_id, version, surface, master, defects, confirmed, actor, request_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;

const RAISE = 'update defectoscopy_corrected_photos set version = $2, corrected_at = now() where task_id = $1';
