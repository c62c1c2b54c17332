import { CLIENT_LIMIT_MS, type Queryable } from '../../../base/db.ts';

/** A photo that both versions have classified. */
export interface Comparison {
  readonly taskId: string;
  readonly shadowVersion: string;
  readonly defaultVersion: string;
  /** The main defects; empty for none. */
  readonly shadowLabel: string;
  readonly defaultLabel: string;
}

/** Differing photos that a worker records per heartbeat. */
const MAX_DIFFERENCES = 20;

/** Counts comparisons in memory until they are written. */
export function createShadowTally() {
  let counts = new Map<string, { photo: Comparison; photos: number }>();
  let differing: Comparison[] = [];
  return {
    add(photo: Comparison): void {
      const { shadowVersion, defaultVersion, shadowLabel, defaultLabel } = photo;
      const key = JSON.stringify([shadowVersion, defaultVersion, defaultLabel, shadowLabel]);
      const photos = (counts.get(key)?.photos ?? 0) + 1;
      counts.set(key, { photo, photos });
      if (shadowLabel !== defaultLabel && differing.length < MAX_DIFFERENCES) differing.push(photo);
    },
    /** A failure drops the counts: after a lost response, writing them again would count them twice. */
    async write(db: Queryable): Promise<void> {
      if (counts.size === 0) return;
      const rows = [...counts.values()].map(({ photo, photos }) => ({ ...photo, photos }));
      const differences = differing;
      counts = new Map();
      differing = [];
      await db.query(WRITE, [JSON.stringify(rows), JSON.stringify(differences)]);
    },
  };
}

const COLUMNS = 'shadow_version, default_version, default_label, shadow_label';
const VALUES = '"shadowVersion", "defaultVersion", "defaultLabel", "shadowLabel"';
const TYPED = VALUES.replaceAll(/"(,|$)/g, '" text$1');

// One lock order prevents deadlocks between workers.
const WRITE = {
  name: 'shadow',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    with differing as (
      insert into defectoscopy_shadow_differences (task_id, ${COLUMNS})
      select "taskId", ${VALUES} from json_to_recordset($2) as photos ("taskId" text, ${TYPED})
    )
    insert into defectoscopy_shadow_counts as known (day, ${COLUMNS}, photos)
    select (now() at time zone 'utc')::date, ${VALUES}, photos
      from json_to_recordset($1) as counted (${TYPED}, photos bigint)
     order by ${VALUES}
        on conflict (day, ${COLUMNS}) do update set photos = known.photos + excluded.photos`,
};
