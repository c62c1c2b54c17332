import { CLIENT_LIMIT_MS, type Queryable, type Statement } from '../../../base/db.ts';
import type { TrainingReport } from '../deployment-schema.ts';

/** A version that is trained on the corrections, by a worker. */
export interface Training {
  readonly id: number;
  readonly version: string;
  readonly actor: string;
  readonly requestedAt: Date;
  /** Whether a worker has claimed it. */
  readonly isStarted: boolean;
  /** 0 to 1 */
  readonly progress: number;
  readonly endedAt: Date | null;
  readonly failure: TrainingFailure | null;
  readonly report: TrainingReport | null;
}

export interface TrainingFailure {
  readonly code: string;
  readonly message: string;
}

/** After this many lost attempts the training fails, because it probably crashes its worker. */
const MAX_ATTEMPTS = 3;
const LEASE_SECONDS = 15;
/** Kept with their files, besides versions that were deployed. */
const KEPT = 10;

export async function readLastTraining(db: Queryable): Promise<Training | undefined> {
  return (await db.query<Training>(LAST)).rows[0];
}

export interface TrainedVersion {
  /** The version on whose network it was trained. */
  readonly base: string | null;
  /** SHA-256 of this network. */
  readonly network: string | null;
}

/** The versions of completed trainings. */
export async function readTrainedVersions(db: Queryable): Promise<ReadonlyMap<string, TrainedVersion>> {
  const { rows } = await db.query<TrainedVersion & { version: string }>(
    `select version, manifest #>> '{base,version}' as base, manifest #>> '{files,backbone.onnx,sha256}' as network
       from defectoscopy_trainings, cast(files ->> 'manifest.json' as json) as manifest
      where files is not null order by id`,
  );
  return new Map(rows.map(({ version, ...trained }) => [version, trained]));
}

/** False if a training is open. */
export async function requestTraining(db: Queryable, version: string, actor: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'insert into defectoscopy_trainings (version, actor) values ($1, $2) on conflict do nothing',
    [version, actor],
  );
  return rowCount > 0;
}

/** Ends trainings that no worker claims, and deletes old ones. */
export async function cleanUpTrainings(db: Queryable): Promise<void> {
  await db.query(END_ABANDONED, [MAX_ATTEMPTS]);
  await db.query(DELETE_OLD, [KEPT]);
}

/** Identifies an attempt of a worker: a worker that was paused for longer than its lease changes nothing. */
export interface TrainingAttempt {
  readonly id: number;
  readonly attempts: number;
  readonly version: string;
}

/** Whether a training waits for a worker, and the last version that was trained. */
export async function readTrainingState(db: Queryable): Promise<{ isWaiting: boolean; newest: string | null }> {
  const { rows } = await db.query<{ isWaiting: boolean; newest: string | null }>(STATE, [MAX_ATTEMPTS]);
  return rows[0]!;
}

export async function claimTraining(db: Queryable, worker: string): Promise<TrainingAttempt | undefined> {
  return (await db.query<TrainingAttempt>(CLAIM, [worker, LEASE_SECONDS, MAX_ATTEMPTS])).rows[0];
}

/** False if the attempt was lost. */
export async function renewTraining(
  db: Queryable,
  worker: string,
  { id, attempts }: TrainingAttempt,
  progress: number,
): Promise<boolean> {
  return (await db.query(RENEW, [id, worker, attempts, LEASE_SECONDS, progress])).rowCount > 0;
}

/** For a worker that stops: the training can be claimed at once, and the attempt does not count. */
export async function requeueTraining(db: Queryable, worker: string, { id, attempts }: TrainingAttempt): Promise<void> {
  await db.query(REQUEUE, [id, worker, attempts]);
}

export type TrainingOutcome =
  | { readonly failure: TrainingFailure }
  | { readonly report: TrainingReport; readonly files: Readonly<Record<string, string>> };

export async function endTraining(
  db: Queryable,
  worker: string,
  { id, attempts }: TrainingAttempt,
  outcome: TrainingOutcome,
): Promise<void> {
  const results = 'failure' in outcome ? [outcome.failure, null, null] : [null, outcome.report, outcome.files];
  await db.query(END, [id, worker, attempts, ...results]);
}

/** The files of a trained version; undefined if they are not stored. */
export async function readTrainedFiles(
  db: Queryable,
  version: string,
): Promise<Readonly<Record<string, string>> | undefined> {
  const { rows } = await db.query<{ files: Record<string, string> }>(FILES, [version]);
  return rows[0]?.files;
}

const LAST = `
  select id, version, actor, requested_at as "requestedAt", leased_until is not null as "isStarted", progress,
         ended_at as "endedAt", failure, report
    from defectoscopy_trainings order by id desc limit 1`;

const WAITS = 'ended_at is null and (leased_until is null or leased_until < now())';

const STATE: Statement = {
  name: 'training-state',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    select exists (select from defectoscopy_trainings where ${WAITS} and attempts < $1) as "isWaiting",
           (select version from defectoscopy_trainings where files is not null order by id desc limit 1) as newest`,
};

const CLAIM = `
  update defectoscopy_trainings
     set worker = $1, attempts = attempts + 1, leased_until = now() + make_interval(secs => $2), progress = 0
   where id = (select id from defectoscopy_trainings where ${WAITS} and attempts < $3 for update skip locked)
  returning id, attempts, version`;

const OWN = 'where id = $1 and worker = $2 and attempts = $3 and ended_at is null';

const RENEW: Statement = {
  name: 'renew-training',
  limitMs: CLIENT_LIMIT_MS,
  text: `update defectoscopy_trainings set leased_until = now() + make_interval(secs => $4), progress = $5 ${OWN}`,
};

const REQUEUE = `update defectoscopy_trainings set leased_until = null, attempts = attempts - 1 ${OWN}`;

const END = `
  update defectoscopy_trainings set ended_at = now(), progress = 1, failure = $4, report = $5, files = $6 ${OWN}`;

const FILES = `
  select files from defectoscopy_trainings where version = $1 and files is not null order by id desc limit 1`;

const END_ABANDONED = `
  update defectoscopy_trainings
     set ended_at = now(),
         failure = case when attempts >= $1
                        then jsonb_build_object('code', 'WORKER_LOST',
                               'message', 'The worker ended ' || attempts || ' times during the training.')
                        else jsonb_build_object('code', 'NO_WORKER',
                               'message', 'No worker has claimed the training for 10 minutes. Start one and train again.') end
   where ${WAITS}
     and (attempts >= $1 or greatest(requested_at, leased_until) < now() - interval '10 minutes')`;

const DELETE_OLD = `
  delete from defectoscopy_trainings
   where id <= (select id from defectoscopy_trainings order by id desc offset $1 limit 1)
     and version not in (select default_version from defectoscopy_deployments where default_version is not null
                         union select shadow_version from defectoscopy_deployments where shadow_version is not null)`;
