import { CLIENT_LIMIT_MS, type Queryable } from '../base/db.ts';
import { PRIORITY_VALUE, type Priority } from './task.ts';

// Start-time fair queuing (docs/decisions/0037-fair-scheduling.md). `tasks.run_at` is the start tag of a task.

/** The virtual time that a task of a client with weight 1 takes: 1 µs, the resolution of a tag, at weight 100. */
export const COST_MICROS = 100;
export const MIN_WEIGHT = 0.1;
export const MAX_WEIGHT = 100;

export type ClientWeights = ReadonlyMap<string, number>;

/** Seconds since 1970; undefined while unknown. */
export type VirtualTime = (service: string, priority: Priority) => number | undefined;

/** The parameters of `taggedClients`, then the owner and the offset of each task from the first tag of its client. */
export type FairTags = (tasks: readonly Tagged[]) => unknown[][];

interface Tagged {
  readonly service: string;
  readonly priority: Priority;
  readonly principal: string;
  readonly owner?: string;
  readonly resultOf?: string;
}

interface ClientGroup {
  readonly task: Tagged;
  cost: number;
}

export function createFairTags(weights: ClientWeights, virtualTime: VirtualTime): FairTags {
  return (tasks) => {
    const groups = new Map<string, ClientGroup>();
    const offsets = tasks.map((task) => {
      const owner = ownerOf(task);
      const key = `${task.service} ${PRIORITY_VALUE[task.priority]} ${owner}`;
      const group = groups.get(key) ?? { task, cost: 0 };
      groups.set(key, group);
      const offset = group.cost;
      // A copied result uses no worker.
      if (task.resultOf === undefined) group.cost += costMicros(weights, owner);
      return offset;
    });
    // One lock order prevents deadlocks between gateways.
    const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
    return [
      sorted.map(({ task }) => task.service),
      sorted.map(({ task }) => PRIORITY_VALUE[task.priority]),
      sorted.map(({ task }) => ownerOf(task)),
      sorted.map(({ task }) => virtualTime(task.service, task.priority) ?? null),
      sorted.map(({ cost }) => cost),
      tasks.map((task) => (task.owner === task.principal ? null : (task.owner ?? null))),
      offsets,
    ];
  };
}

/** The virtual time that a task of the client takes. */
export const costMicros = (weights: ClientWeights, owner: string): number =>
  Math.round(COST_MICROS / (weights.get(owner) ?? 1));

const ownerOf = ({ owner, principal }: Tagged) => owner ?? principal;

/** SQL: the latest finish tag of a queue. */
export const latestFinish = (service: string, priority: string | number) =>
  `(select max(finish) from client_queues where service = ${service} and priority = ${priority})`;

/**
 * SQL: a common table expression `client` with the first tag of each client group; its parameters start at number `first`.
 * A tag is a virtual time and may be later than the clock. The limit keeps PostgreSQL from planning each execution for
 * the length of the arrays.
 */
export const taggedClients = (first: number) => `
    client as (
      insert into client_queues as q (service, priority, owner, start, finish)
      select service, priority, owner, start, start + cost * interval '1 microsecond'
        from (select g.*, coalesce(to_timestamp(virtual_time), ${latestFinish('g.service', 'g.priority')}, now()) as start
                from unnest($${first}::text[], $${first + 1}::smallint[], $${first + 2}::text[], $${first + 3}::float8[],
                            $${first + 4}::float8[]) as g (service, priority, owner, virtual_time, cost)
               limit cardinality($${first}::text[])) as g
          on conflict (service, priority, owner) do update
            set start  = greatest(excluded.start, q.finish),
                finish = greatest(excluded.start, q.finish) + (excluded.finish - excluded.start)
      returning service, priority, owner, start
    )`;

const TAKE = {
  name: 'take-tags',
  limitMs: CLIENT_LIMIT_MS,
  text: `with ${taggedClients(1)} select concat_ws(' ', service, priority, owner) as key, start::text as start from client`,
};

/**
 * Takes the tags of many tasks in a statement of its own. A transaction that writes them with `takenClients` then does not
 * lock the queues of their clients, for which other requests that share a statement with those of a client would wait.
 */
export async function takeTags(db: Queryable, tags: FairTags, tasks: readonly Tagged[]): Promise<FairTags> {
  const [services, priorities, owners, times, costs, ownOwners, offsets] = tags(tasks);
  const { rows } = await db.query<{ key: string; start: string }>(TAKE, [services, priorities, owners, times, costs]);
  const starts = new Map(rows.map(({ key, start }) => [key, start]));
  const ordered = services!.map((service, i) => starts.get(`${service} ${priorities![i]} ${owners![i]}`));
  const places = new Map(tasks.map((task, i) => [task, i]));
  return (part) => {
    const at = part.map((task) => places.get(task)!);
    return [services!, priorities!, owners!, ordered, costs!, at.map((i) => ownOwners![i]), at.map((i) => offsets![i])];
  };
}

/** Deletes tags without effect: those below the virtual time, which a client without tags gets, too. */
export async function deleteUnusedTags(db: Queryable): Promise<void> {
  await db.query(DELETE_UNUSED, [MAX_DELETED]);
}

/** Bounds the locks held. */
const MAX_DELETED = 10_000;

const DELETE_UNUSED = `
  delete from client_queues
   where (service, priority, owner) in (
         select q.service, q.priority, q.owner
           from (select service, priority, max(finish) as latest from client_queues group by service, priority) as queue
           left join lateral (
                select run_at
                  from tasks t
                 where t.service = queue.service and t.priority = queue.priority
                   and worker is null and finished_at is null and returned is null
                 order by run_at
                 limit 1) as front on true
           join client_queues q on q.service = queue.service and q.priority = queue.priority
                               and q.finish < least(front.run_at, latest)
          limit $1
            for update of q skip locked)`;

/** SQL: like {@link taggedClients}, with tags of {@link takeTags}. */
export const takenClients = (first: number) => `
    client as (
      select service, priority, owner, start::timestamptz as start
        from unnest($${first}::text[], $${first + 1}::smallint[], $${first + 2}::text[], $${first + 3}::text[],
                    $${first + 4}::float8[]) as g (service, priority, owner, start, cost)
       limit cardinality($${first}::text[])
    )`;
