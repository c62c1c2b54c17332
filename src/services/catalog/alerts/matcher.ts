import type { Db, Transaction } from '../../../base/db.ts';
import type { Log } from '../../../base/log.ts';
import { createFeedFloor } from '../../../tasks/feed-floor.ts';
import { countPendingMessages, sendMessages } from '../../../tasks/messages.ts';
import { readRoles } from '../auth/tokens.ts';
import type { Role } from '../auth/visitor.ts';
import { hitBody } from '../search/responses.ts';
import { MATCHED_EVENT, type Match, type MatchedData, type StoredFilters, storedToFilters } from './alert.ts';
import { readMatches } from './alerts.ts';
import { isolateAlert, prepareMatching, storeMatches } from './find-matches.ts';

interface Deps {
  readonly db: Db;
  /** Of the token with this principal; undefined for one that is invalid, or newer than the snapshot. */
  readonly roleOf: (principal: string) => Role | undefined;
  readonly messageTtlSeconds: number;
  readonly log: Log;
}

/** Announces new matches. Several processes may run it; one at a time has an effect. */
export function createMatcher({ db, roleOf, messageTtlSeconds, log }: Deps) {
  const floor = createFeedFloor();

  /** The alerts whose owner may see what they match. */
  const allowed = async (tx: Transaction, alerts: readonly AlertRow[]) => {
    const isKnown = alerts.every(({ owner }) => roleOf(owner) !== undefined);
    const issued = isKnown ? undefined : await readRoles(tx, NO_ENTRIES);
    return alerts.filter(({ owner, filters }) => {
      const role = roleOf(owner) ?? issued?.get(owner);
      return role !== undefined && (filters.hidden !== true || role === 'moderator');
    });
  };

  const send = async (tx: Transaction, alert: AlertRow, url: string) => {
    const { viewId, owner: principal, name, secret } = alert;
    const room = MAX_PENDING - (await countPendingMessages(tx, { principal, url }, MAX_PENDING));
    let { sent } = alert;
    for (let i = 0; i < room; i++) {
      const page = await readMatches(tx, viewId, sent, MATCHES_PER_MESSAGE);
      sent = page.position;
      const data: MatchedData = { view: { id: viewId, name }, matches: page.matches.map(matchBody) };
      const message = { principal, url, secret: secret ?? undefined, event: MATCHED_EVENT, subject: viewId, data };
      if (page.matches.length > 0) {
        await sendMessages(tx, [{ ...message, service: 'catalog', ttlSeconds: messageTtlSeconds }]);
      }
      if (!page.more) break;
    }
    if (sent > alert.sent) await tx.query(SENT, [viewId, sent]);
  };

  const match = () =>
    db.transaction(
      async (tx) => {
        const { rows: lock } = await tx.query<{ mine: boolean }>('select pg_try_advisory_xact_lock($1) as mine', [
          LOCK,
        ]);
        if (!lock[0]!.mine) return NOTHING;
        const { rows: read } = await floor.read((from) => tx.query<ChangeRow>(CHANGES, [from, MAX_CHANGES]));
        const { rows } = await tx.query<AlertRow>(ALERTS);
        const alerts = await allowed(tx, rows);
        const changes = await lockChanged(tx, read);
        if (changes.length > 0) await prepareMatching(tx);
        for (const alert of alerts) {
          const { viewId, filters, webhookUrl, hasUnsent } = alert;
          const err = await isolateAlert(tx, async () => {
            const numbers = changes.flatMap(({ serial, number }) => (serial > alert.sinceChange ? [number] : []));
            const found =
              numbers.length === 0
                ? 0
                : await storeMatches(tx, { viewId, filters: storedToFilters(filters) }, numbers, true);
            if (webhookUrl !== null && (found > 0 || hasUnsent)) await send(tx, alert, webhookUrl);
          });
          if (err !== undefined) log.error({ err, view: viewId }, 'an alert cannot be evaluated');
        }
        await tx.query(DELETE_CHANGES, [changes.map(({ serial }) => serial)]);
        const evaluated = new Set(changes);
        const firstLeft = read.findIndex((change) => !evaluated.has(change));
        return { isFull: changes.length === MAX_CHANGES, first: firstLeft < 0 ? read : read.slice(0, firstLeft) };
      },
      { statementTimeoutMs: STATEMENT_MS },
    );

  return {
    /** One round: evaluates the changed records and sends unsent matches. Returns whether there are more. */
    async run(): Promise<boolean> {
      const { rows } = await db.query<{ idle: boolean }>(IDLE);
      if (rows[0]!.idle) return false;
      const { isFull, first } = await match();
      floor.reportDeleted(first);
      return isFull;
    },
  };
}

export const matchBody = ({ matchedAt, hit }: Match) => ({ matched_at: matchedAt.toISOString(), record: hitBody(hit) });

/** `first`: the evaluated changes before any other one. */
const NOTHING: { readonly isFull: boolean; readonly first: readonly ChangeRow[] } = { isFull: false, first: [] };
const NO_ENTRIES = { readers: [], moderators: [] };
const MAX_CHANGES = 500;
const MATCHES_PER_MESSAGE = 50;
/** Of an alert. Further matches wait in their table for a receiver that is down, and are sent later. */
const MAX_PENDING = 100;
const STATEMENT_MS = 10_000;
/** Any number that no other lock uses. */
const LOCK = 1_804_277_391;

interface ChangeRow {
  readonly serial: number;
  readonly number: number;
}

interface AlertRow {
  readonly viewId: string;
  readonly owner: string;
  readonly name: string;
  readonly filters: StoredFilters;
  readonly webhookUrl: string | null;
  readonly secret: Buffer | null;
  readonly sinceChange: number;
  readonly sent: number;
  readonly hasUnsent: boolean;
}

const IDLE = {
  name: 'catalog-alerts-idle',
  text: 'select not exists (select from catalog_alerts) and not exists (select from catalog_changes) as idle',
};

const CHANGES = {
  name: 'catalog-changes',
  text: 'select serial, number from catalog_changes where serial >= $1 order by serial limit $2',
};

const DELETE_CHANGES = {
  name: 'catalog-changes-done',
  text: 'delete from catalog_changes where serial = any($1::bigint[])',
};

// The lock keeps alerts from being changed meanwhile.
const ALERTS = {
  name: 'catalog-alerts',
  text: `
    select a.view_id as "viewId", v.owner, v.name, a.filters, a.webhook_url as "webhookUrl", a.secret,
           a.since_change as "sinceChange", a.sent,
           exists (select from catalog_matches m where m.view_id = a.view_id and m.announced and m.position > a.sent)
             as "hasUnsent"
      from catalog_alerts a
      join catalog_views v on v.id = a.view_id
     order by a.view_id
       for no key update of a`,
};

/**
 * Locks the changed records before the matches that refer to them are inserted. Does not wait for a writer, which may wait for
 * the matcher: omits changes of records that a writer has locked.
 */
async function lockChanged(tx: Transaction, changes: readonly ChangeRow[]): Promise<readonly ChangeRow[]> {
  if (changes.length === 0) return [];
  const numbers = changes.map(({ number }) => number);
  const locked = await tx.query<{ number: number }>(LOCK_RECORDS, [numbers]);
  const deleted = await tx.query<{ number: number }>(DELETED, [numbers]);
  const ready = new Set([...locked.rows, ...deleted.rows].map(({ number }) => number));
  return changes.filter(({ number }) => ready.has(number));
}

const LOCK_RECORDS = {
  name: 'catalog-lock-changed',
  text: 'select number from catalog_records where number = any($1::bigint[]) for key share skip locked',
};

const DELETED = {
  name: 'catalog-changed-deleted',
  text: `
    select c.number from unnest($1::bigint[]) as c (number)
     where not exists (select from catalog_records r where r.number = c.number)`,
};

const SENT = { name: 'catalog-alert-sent', text: 'update catalog_alerts set sent = $2 where view_id = $1' };
