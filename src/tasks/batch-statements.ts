import { CLIENT_LIMIT_MS, type Statement } from '../base/db.ts';
import { takenClients } from './fair-tags.ts';
import { FAILED_COLUMNS, requeuedSql } from './requeue.ts';
import { FAILURES, PRIORITY_VALUE, type Priority } from './task.ts';
import { afterEndSql, deliveriesDueSql, ENDED_COLUMNS, failSql, IS_READABLE } from './task-rows.ts';

const MAX_ERRORS = 10;
const limitMs = CLIENT_LIMIT_MS;

export const INSERT = {
  name: 'insert-batch',
  limitMs,
  text: `
    with batch as (insert into batches (id, service, principal) values ($1, $2, $3))
    insert into batch_items (batch_id, position, task_id, name)
    select $1, place, task_id, name from unnest($4::text[], $5::text[]) with ordinality as item (task_id, name, place)`,
};

const ENDED_AS = (status: string, condition = 'true') =>
  `count(*) filter (where i.status = '${status}' and ${condition})`;
const IS_CANCELLED = `i.error_code = '${FAILURES.CANCELLED.code}'`;
const IS_FAILED = `i.status = 'failed' and not ${IS_CANCELLED}`;
const ITEM_COLUMNS = 'b.position, b.task_id, b.name, t.status, t.error, t.error_code';

const lastTag = (priority: Priority) => `
  '${priority}', extract(epoch from max(i.run_at) filter (where i.status = 'queued' and i.priority = ${PRIORITY_VALUE[priority]}))`;

const summarySql = (batch: string, { columns = '', members = '' } = {}) => `
  (select json_build_object(
            'counts', json_build_object(
              'queued', ${ENDED_AS('queued')}, 'processing', ${ENDED_AS('processing')}, 'done', ${ENDED_AS('done')},
              'failed', ${ENDED_AS('failed', `not ${IS_CANCELLED}`)}, 'cancelled', ${ENDED_AS('failed', IS_CANCELLED)}),
            'error_codes', coalesce(array_agg(distinct i.error_code) filter (where ${IS_FAILED}), '{}'),
            'errors', coalesce((array_agg(to_json(i) order by i.position)
                                  filter (where ${IS_FAILED}))[1:${MAX_ERRORS}], '{}')${members})
     from (select ${ITEM_COLUMNS}${columns}
             from batch_items b
             join tasks t on t.id = b.task_id and ${IS_READABLE}
            where b.batch_id = ${batch}) as i)`;

const OPEN = {
  columns: ', t.run_at, t.priority',
  members: `, 'lastTags', json_build_object(${lastTag('realtime')}, ${lastTag('batch')})`,
};
export const SUMMARY = { name: 'batch-summary', limitMs, text: `select ${summarySql('$1', OPEN)} as summary` };

export const LIST = {
  name: 'list-batches',
  limitMs,
  text: `
    select id from batches
     where service = $1 and principal = $2 and ($4::text is null or id < $4)
       and (coalesce($5::text, $6::text) is null
            or exists (select from tasks t, json_to_record(t.input -> 'grouping') as g (project text, tags text[])
                        where t.id = batches.id
                          and ($5 is null or g.project = $5) and ($6 is null or $6 = any(g.tags))))
     order by id desc
     limit $3`,
};

// The first member of the input (services/shared/grouping.ts). By its text, because parsing an input with escapes that are
// no characters is an error.
const GROUPING = String.raw`substring(left(t.input::text, 4000) from '^\{"grouping":(\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\})')`;

const ITEM_STATE = `coalesce(case t.error_code when '${FAILURES.CANCELLED.code}' then 'cancelled' else t.status end, 'deleted')`;

export const ITEMS = {
  name: 'batch-items',
  limitMs,
  text: `
    select ${ITEM_COLUMNS}, ${GROUPING}::json as grouping
      from batch_items b
      left join tasks t on t.id = b.task_id and ${IS_READABLE}
     where b.batch_id = $1 and b.position > $2 and ($4::text is null or $4 = ${ITEM_STATE})
     order by b.position
     limit $3`,
};

// A worker's statement locks the tasks that it claims and those that it completes in no common order, so one that holds locks
// must not wait for another.
const cancelStatement = (name: string, lock: string): Statement => ({
  name,
  limitMs,
  text: `
    with page as materialized (
      select position, task_id from batch_items where batch_id = $1 and position > $2 order by position limit $3
    ),
    unfinished as materialized (
      select t.id from tasks t where t.id = any(array(select task_id from page)) and t.finished_at is null
    ),
    open as materialized (
      select id from tasks where id = any(array(select id from unfinished)) and finished_at is null order by id ${lock}
    ),
    cancelled as (
      update tasks t set ${failSql('$4', '$5')} from open where t.id = open.id and t.finished_at is null
      returning ${ENDED_COLUMNS}
    ),${afterEndSql('cancelled')}
    select (select max(position) from page) as last, array(select id from cancelled) as ids,
           array(select position from page where task_id in (select id from unfinished except select id from open)) as locked`,
});

export const CANCEL = cancelStatement('cancel-batch', 'for update skip locked');
export const CANCEL_LOCKED = cancelStatement('cancel-locked-item', 'for update');

export const LOCK_COMPLETED = {
  name: 'lock-completed-batch',
  limitMs,
  text: `select from tasks t where t.id = $1 and t.status = 'done' and ${IS_READABLE} for update`,
};

export const FAILED_ITEMS = {
  name: 'failed-batch-items',
  limitMs,
  text: `
    select t.id, ${FAILED_COLUMNS}
      from batch_items b
      join tasks t on t.id = b.task_id
     where b.batch_id = $1 and t.status = 'failed' and not t.error_code = any($2::text[]) and ${IS_READABLE}
       and not exists (select from deliveries d where d.task_id = t.id)
     order by t.id`,
};

export const REQUEUE = {
  name: 'requeue-batch-items',
  limitMs,
  text: `
    with ${takenClients(3)},
    failed as materialized (
      select id from tasks where id = any($1::text[]) and status = 'failed' order by id for update
    )
    update tasks t
       set ${requeuedSql("client.start + item.tag_offset * interval '1 microsecond'")}
      from unnest($1::text[], $2::float8[]) as item (id, tag_offset) join failed using (id), client
     where t.id = item.id and client.service = t.service and client.priority = t.priority
       and client.owner = coalesce(t.owner, t.principal)
    returning t.id`,
};

// `started_at` keeps a concurrent statement that has seen the items before the retry from completing the batch.
export const REOPEN = {
  name: 'reopen-batch',
  limitMs,
  text: `
    with reopened as (
      update tasks
         set status      = 'queued',
             expires_at  = now() + (expires_at - queued_at),
             queued_at   = now(),
             started_at  = clock_timestamp(),
             finished_at = null,
             result      = null
       where id = $1
      returning id
    )
    update deliveries d set due_at = null from reopened where d.task_id = reopened.id and d.body is null and d.leased_until is null`,
};

// From the last item back, because the items of a client are claimed in their order. A retry sends no second webhook.
export const COMPLETE = {
  name: 'complete-batches',
  text: `
    with open as materialized (
      select t.id
        from tasks t
       where t.service = any($1::text[]) and t.worker is null and t.finished_at is null
         and (t.started_at is null or t.started_at < now())
         and (select 1
                from (select task_id from batch_items b where b.batch_id = t.id order by position desc offset 0) as b
               cross join lateral (
                      select from tasks item where item.id = b.task_id and item.finished_at is null limit 1) as unfinished
               limit 1) is null
       limit 100
         for update of t skip locked
    ),
    ended as (
      update tasks t
         set status = 'done', finished_at = now(), processing_ms = 0, result = ${summarySql('open.id')}
        from open
       where t.id = open.id
      returning t.*
    ),
    -- The first end of a batch is an event of its client, with the content of its webhook. A retried batch has a start time.
    recorded as (
      insert into unnumbered_task_events (service, principal, task_id, kind, expires_at, batch)
      select left(service, -length('.batches')), principal, id, 'completed', task_event_expiry(queued_at, expires_at),
             json_build_object('input', input::text, 'summary', result, 'queuedAt', queued_at, 'finishedAt', finished_at)
        from ended
       where started_at is null
    ),
    due as (${deliveriesDueSql('ended', "d.state = 'pending' and d.body is null")})
    select id from ended`,
};

export const REMOVE_EMPTY = {
  name: 'remove-empty-batches',
  text: `
    with empty as materialized (
      select t.id
        from batches b
        join tasks t on t.id = b.id
       where b.service = $1 and t.queued_at < $2 and t.finished_at is not null
         and not exists (select from batch_items i join tasks item on item.id = i.task_id where i.batch_id = b.id)
       order by t.id
       limit $3
         for update of t skip locked
    )
    delete from tasks t using empty where t.id = empty.id`,
};
