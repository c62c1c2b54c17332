import { CLIENT_LIMIT_MS, type Db, type Queryable, type Statement } from '../../../base/db.ts';

export interface Deployment {
  readonly id: number;
  readonly action: 'promote' | 'rollback' | 'shadow';
  /** Null: the newest shipped version. */
  readonly defaultVersion: string | null;
  readonly shadowVersion: string | null;
  /** The deployment whose default a rollback restores; 0: before the first one; null: none. */
  readonly rollsBackTo: number | null;
  readonly actor: string;
  readonly at: Date;
}

export type NewDeployment = Omit<Deployment, 'id' | 'at'>;

export const HISTORY_LENGTH = 50;

/** Newest first. */
export async function readDeployments(db: Queryable, count = HISTORY_LENGTH): Promise<Deployment[]> {
  return (await db.query<Deployment>(LATEST, [count])).rows;
}

export type Earlier = Pick<Deployment, 'defaultVersion' | 'rollsBackTo'>;

/** The state after a rollback of this deployment; undefined: nothing can be rolled back. */
export async function readEarlier(db: Queryable, { rollsBackTo }: Deployment): Promise<Earlier | undefined> {
  if (rollsBackTo === null) return undefined;
  const { rows } = await db.query<Earlier>(BY_ID, [rollsBackTo]);
  return rows[0] ?? { defaultVersion: null, rollsBackTo: null };
}

/** Appends the deployment that `decide` returns for the last one; undefined: none. One at a time. */
export async function deploy(
  db: Db,
  decide: (tx: Queryable, last: Deployment | undefined) => Promise<NewDeployment | undefined>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('lock table defectoscopy_deployments in share row exclusive mode');
    const added = await decide(tx, (await readDeployments(tx, 1))[0]);
    if (added === undefined) return;
    const { action, defaultVersion, shadowVersion, rollsBackTo, actor } = added;
    await tx.query(INSERT, [action, defaultVersion, shadowVersion, rollsBackTo, actor]);
  });
}

const COLUMNS = `id, action, default_version as "defaultVersion", shadow_version as "shadowVersion",
  rolls_back_to as "rollsBackTo", actor, at`;

const LATEST: Statement = {
  name: 'deployments',
  limitMs: CLIENT_LIMIT_MS,
  text: `select ${COLUMNS} from defectoscopy_deployments order by id desc limit $1`,
};

const BY_ID = `
  select default_version as "defaultVersion", rolls_back_to as "rollsBackTo" from defectoscopy_deployments where id = $1`;

const INSERT = `
  insert into defectoscopy_deployments (action, default_version, shadow_version, rolls_back_to, actor)
  values ($1, $2, $3, $4, $5)`;
