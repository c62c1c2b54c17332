/**
 * SQL that leases the next due rows of a queue, at most `$1`, and returns them. Concurrent processes skip each other's rows.
 * `due`: condition; `set`: assignment that makes the row due again at the end of the lease.
 */
export const leaseRows = (queue: { table: string; key: string; due: string; order: string; set: string }): string => `
  with next as materialized (
    select ${queue.key}
      from ${queue.table}
     where ${queue.due}
     order by ${queue.order}
     limit $1
       for update skip locked
  )
  update ${queue.table} q set ${queue.set} from next where q.${queue.key} = next.${queue.key}
  returning q.*`;
