import { CLIENT_LIMIT_MS, type Queryable } from '../../../base/db.ts';
import type { Caller } from '../documents.ts';
import { failureStatus, toErrorType } from '../failures.ts';

const RECENT = 20;

/** `recent` has the caller's documents; all for administrators. */
export async function readFailureStatistics(db: Queryable, windowSeconds: number, { session, key, role }: Caller) {
  const { rows } = await db.query<Row>(ENDED, [windowSeconds, RECENT, role === 'admin', session, key ?? null]);
  const { total, by_code, recent } = rows[0]!;
  const byStatus = { FAILED: 0, ERROR: 0, PERMANENT_ERROR: 0 };
  const byErrorType: Record<string, number> = {};
  let failed = 0;
  for (const { error_code, n } of by_code) {
    failed += n;
    byStatus[failureStatus(error_code)] += n;
    byErrorType[toErrorType(error_code)] = (byErrorType[toErrorType(error_code)] ?? 0) + n;
  }
  return {
    ...{ total, failed, byStatus, byErrorType },
    recent: recent.map(({ id, error_code, finished_at }) => ({
      id,
      status: failureStatus(error_code),
      errorType: toErrorType(error_code),
      failedAt: new Date(finished_at),
    })),
  };
}

interface Row {
  total: number;
  by_code: { error_code: string; n: number }[];
  recent: { id: string; error_code: string; finished_at: string }[];
}

const ENDED = {
  name: 'passport-failures',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    with ended as materialized (
      select id, status, error_code, finished_at
        from tasks_read_only
       where service = 'passports' and finished_at is not null and finished_at > now() - make_interval(secs => $1)
    )
    select (select count(*) from ended) as total,
           (select coalesce(json_agg(c), '[]')
              from (select error_code, count(*) as n from ended where status = 'failed' group by error_code) as c) as by_code,
           (select coalesce(json_agg(r), '[]')
              from (select id, error_code, finished_at
                      from ended
                     where status = 'failed'
                       and ($3::boolean or exists (select from passport_documents d
                                                    where d.id = ended.id and (d.session = $4 or d.key_name = $5)))
                     order by finished_at desc, id desc
                     limit $2) as r) as recent`,
};
