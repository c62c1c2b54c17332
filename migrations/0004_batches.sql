-- Batches (docs/decisions/0049-batches.md). A batch is also a row of `tasks`, in a queue without workers, which has its
-- state, webhook and expiry; the sweep ends it after its last item.
create table batches (
  id            text collate "C" primary key references tasks (id) on delete cascade,
  service       text        not null,
  principal     text        not null
);

create index batches_by_client on batches (service, principal, id);

-- Without a foreign key to `tasks`, so that an item can be deleted like another task.
create table batch_items (
  batch_id      text collate "C" not null references batches (id) on delete cascade,
  position      integer     not null,                  -- from 1, in the order of the request
  task_id       text collate "C" not null,
  name          text,                                  -- the path of the item in the archive that it came from
  primary key (batch_id, position)
);
