import { type Static, Type } from 'typebox';
import { taskNotFound } from '../../base/api-error.ts';

export const TaskParams = Type.Object({ task_id: Type.String({ description: 'The `task_id` of the 202 response.' }) });

/** Rejects malformed ids without a database query. */
export function parseTaskId({ task_id: id }: Static<typeof TaskParams>): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) throw taskNotFound();
  return id;
}
