-- additive
-- The worker's number of the request that claimed a task. A worker that never received an answer returns what that
-- request has claimed (src/tasks/return-claims.ts).
alter table tasks add column claim integer;
