import type { Queryable } from '../../../base/db.ts';

/** How often a shadow version and a default version agreed. */
export interface ShadowReport {
  readonly shadowVersion: string;
  readonly defaultVersion: string;
  readonly photos: number;
  readonly agreeing: number;
  /** The most frequent first. */
  readonly pairs: readonly { readonly defaultLabel: string; readonly shadowLabel: string; readonly photos: number }[];
}

export interface Difference {
  readonly taskId: string;
  readonly shadowVersion: string;
  readonly defaultVersion: string;
  readonly defaultLabel: string;
  readonly shadowLabel: string;
  readonly at: Date;
}

/** Counts are kept for as long. */
export const MAX_REPORT_DAYS = 90;
const MAX_PAIRS = 500;
/** Differing photos that are kept, for at most a week. */
const MAX_DIFFERENCES = 200;
const SHOWN_DIFFERENCES = 50;

/** Of the last days, the pair of versions with the most photos first. */
export async function readShadowReports(db: Queryable, days: number): Promise<ShadowReport[]> {
  type Row = Omit<ShadowReport, 'pairs'> & ShadowReport['pairs'][number] & { total: number };
  const { rows } = await db.query<Row>(PAIRS, [days, MAX_PAIRS]);
  const reports = new Map<string, ShadowReport & { pairs: ShadowReport['pairs'][number][] }>();
  for (const { shadowVersion, defaultVersion, defaultLabel, shadowLabel, photos, total, agreeing } of rows) {
    const key = JSON.stringify([shadowVersion, defaultVersion]);
    const report = reports.get(key) ?? { shadowVersion, defaultVersion, photos: total, agreeing, pairs: [] };
    report.pairs.push({ defaultLabel, shadowLabel, photos });
    reports.set(key, report);
  }
  return [...reports.values()];
}

/** Newest first. Their tasks may have expired. */
export async function readDifferences(db: Queryable): Promise<Difference[]> {
  return (await db.query<Difference>(DIFFERENCES, [SHOWN_DIFFERENCES])).rows;
}

export async function deleteOldComparisons(db: Queryable): Promise<void> {
  await db.query(`delete from defectoscopy_shadow_counts where day < (now() at time zone 'utc')::date - $1::int`, [
    MAX_REPORT_DAYS,
  ]);
  await db.query(DELETE_DIFFERENCES, [MAX_DIFFERENCES]);
}

const PAIRS = `
  select shadow_version as "shadowVersion", default_version as "defaultVersion", default_label as "defaultLabel",
         shadow_label as "shadowLabel", sum(photos)::int8 as photos, (sum(sum(photos)) over versions)::int8 as total,
         (sum(sum(case when default_label = shadow_label then photos else 0 end)) over versions)::int8 as agreeing
    from defectoscopy_shadow_counts
   where day > (now() at time zone 'utc')::date - $1::int
   group by shadow_version, default_version, default_label, shadow_label
  window versions as (partition by shadow_version, default_version)
   order by total desc, shadow_version, default_version, photos desc, default_label, shadow_label
   limit $2`;

const DIFFERENCES = `
  select task_id as "taskId", shadow_version as "shadowVersion", default_version as "defaultVersion",
         default_label as "defaultLabel", shadow_label as "shadowLabel", at
    from defectoscopy_shadow_differences order by id desc limit $1`;

const DELETE_DIFFERENCES = `
  delete from defectoscopy_shadow_differences
   where at < now() - interval '7 days'
      or id <= (select id from defectoscopy_shadow_differences order by id desc offset $1 limit 1)`;
