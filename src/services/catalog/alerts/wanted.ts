import type { Queryable } from '../../../base/db.ts';
import { bodyOfMessage, eventOfMessage } from '../../../tasks/messages.ts';
import type { Task } from '../../../tasks/task.ts';
import { type configuredEntries, readRoles } from '../auth/tokens.ts';
import { MATCHED_EVENT, type MatchedData } from './alert.ts';
import { HIDDEN } from './alerts.ts';

/** False for the matches of an alert that was removed or has another URL, or whose token may no longer see them. */
export async function isWanted(
  db: Queryable,
  message: Task,
  { url, entries }: { url: string; entries: ReturnType<typeof configuredEntries> },
): Promise<boolean> {
  if (eventOfMessage(message) !== MATCHED_EVENT) return true;
  const { data } = JSON.parse(bodyOfMessage(message)) as { data: MatchedData };
  const { rows } = await db.query<{ hidden: boolean }>(ALERT, [data.view.id, url]);
  if (rows[0] === undefined) return false;
  const role = (await readRoles(db, entries)).get(message.principal);
  return role === 'moderator' || (role === 'reader' && !rows[0].hidden);
}

const ALERT = `select ${HIDDEN} as hidden from catalog_alerts a where view_id = $1 and webhook_url = $2`;
