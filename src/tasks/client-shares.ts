import type { Queryable } from '../base/db.ts';

/** By service: the shares of the clients in the tasks that ended last, the largest first. Public, so without names. */
export type ClientShares = ReadonlyMap<string, readonly number[]>;

/** Chosen: precise to 0.1 %, and about 5 ms of the database. */
const TASKS = 1000;
const MAX_AGE = '5 minutes';
const MAX_CLIENTS = 8;

export async function readClientShares(db: Queryable): Promise<ClientShares> {
  const { rows } = await db.query<{ service: string; shares: number[] }>(SHARES, [TASKS, MAX_CLIENTS]);
  return new Map(rows.map(({ service, shares }) => [service, shares]));
}

const SHARES = {
  name: 'client-shares',
  text: `
    with ended as (
      select service, principal, task_id
        from (select * from task_events order by number desc limit $1) as latest
       where kind = 'terminal' and at > now() - interval '${MAX_AGE}'
    ),
    counted as (
      select e.service, count(*)::float8 / sum(count(*)) over (partition by e.service) as share,
             row_number() over (partition by e.service order by count(*) desc) as place
        from ended e
        left join tasks t on t.id = e.task_id
       group by e.service, coalesce(t.owner, e.principal)
    )
    select service, array_agg(share order by share desc) as shares from counted where place <= $2 group by service`,
};
