import type { Queryable } from '../../../base/db.ts';
import { bodyOfMessage, eventOfMessage } from '../../../tasks/messages.ts';
import type { Task } from '../../../tasks/task.ts';
import { type configuredEntries, readRoles } from '../auth/tokens.ts';
import { MATCHED_EVENT, type MatchedData } from './alert.ts';

/** False for the matches of an alert that was removed, or whose token was revoked. */
export async function isWanted(
  db: Queryable,
  message: Task,
  entries: ReturnType<typeof configuredEntries>,
): Promise<boolean> {
  if (eventOfMessage(message) !== MATCHED_EVENT) return true;
  const { data } = JSON.parse(bodyOfMessage(message)) as { data: MatchedData };
  const { rowCount } = await db.query('select from catalog_alerts where view_id = $1', [data.view.id]);
  return rowCount > 0 && (await readRoles(db, entries)).has(message.principal);
}
