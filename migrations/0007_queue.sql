-- additive
-- Tasks that were given back to the queue: 'lost' with the process that worked on them, 'handed_back' by a worker that did not
-- use its attempt. They keep their place. Claims begin to read where the queue began when they last looked, and these may
-- stand before that (src/tasks/queue-floors.ts), so they have an index of their own (0015_queue_index.sql). A lost one is
-- claimed alone; `reserved_by` is the worker that claims nothing else until it can do so.
alter table tasks
  add column returned       text, -- 'lost', 'handed_back' or null; a check would read the whole table under its lock
  add column reserved_by    text,
  add column reserved_until timestamptz;
