import { hash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db, Queryable, Transaction } from '../../../base/db.ts';
import { newId } from '../../../base/ids.ts';
import { type CookieRules, cookieOptions } from '../../../http/cookie-options.ts';
import { createDeliveryLog, type DeliveryLog } from '../../../tasks/delivery-log.ts';
import type { Alert, Match, NewAlert } from '../alerts/alert.ts';
import {
  HIDDEN,
  lastPosition,
  type MatchPage,
  readLatestMatches,
  readMatches,
  removeAlert,
  setAlert,
} from '../alerts/alerts.ts';
import { tooManyViews, viewExists } from '../api-errors.ts';
import type { Visitor } from '../auth/visitor.ts';
import { createTransactionQueue } from '../transaction-queue.ts';

export interface View {
  readonly id: string;
  readonly name: string;
  /** URL query string without `?`. */
  readonly query: string;
  readonly createdAt: Date;
  readonly alert: Alert | null;
}

/** Saved views by owner; see {@link createViewOwners}. */
export type Views = ReturnType<typeof createViews>;

export const MAX_VIEWS = 100;
/** Read to find the latest one of each alert. */
const MAX_DELIVERIES = 200;
/** A client can use a new cookie for each view. */
const MAX_PER_ADDRESS = 10 * MAX_VIEWS;

/** Setting an alert waits for the locks of records and reports. */
const QUEUE = { max: 2, waitMs: 5_000 };

/** `readOwners`: the principals of the valid tokens. */
export function createViews(
  db: Db,
  readOwners: (tx: Transaction) => Promise<readonly string[]>,
  deliveries: Pick<DeliveryLog, 'list'> = createDeliveryLog(db),
) {
  const transaction = createTransactionQueue(db, QUEUE);
  return {
    async list(owner: string): Promise<readonly View[]> {
      const { rows } = await db.query<ViewRow>(`${SELECT} order by lower(name), id`, [owner]);
      if (rows.every(({ webhookUrl }) => webhookUrl === null)) return rows.map(viewOf);
      const latest = await deliveries.list({ service: 'catalog', principal: owner }, {}, MAX_DELIVERIES);
      const attempted = latest.filter(({ webhook }) => webhook.attempts > 0);
      // A view can have had another URL.
      const lastOf = (id: string, to: string | null) =>
        attempted.find(({ subject, url }) => subject === id && url === to)?.webhook;
      return rows.map(viewOf).map(({ alert, ...view }) => ({
        ...view,
        alert: alert && { ...alert, lastDelivery: lastOf(view.id, alert.webhookUrl) },
      }));
    },

    async find(owner: string, id: string): Promise<View | undefined> {
      return (await db.query<ViewRow>(`${SELECT} and id = $2`, [owner, id])).rows.map(viewOf)[0];
    },

    /** Throws for a name in use, and above the limits per owner and address. */
    create: (of: ViewOwner, view: NewView, alert?: NewAlert): Promise<View> =>
      (alert ? transaction : db.transaction)(async (tx) => {
        const created = await insert(tx, of, view);
        if (!alert) return created;
        return { ...created, alert: await setAlert(tx, { id: created.id, owner: of.owner }, alert, readOwners) };
      }),

    /** Sets, replaces or removes the alert of an existing view. */
    changeAlert: (owner: string, view: View, alert: NewAlert | null): Promise<View> =>
      (alert ? transaction : db.transaction)(async (tx) => {
        if (alert) return { ...view, alert: await setAlert(tx, { id: view.id, owner }, alert, readOwners) };
        await removeAlert(tx, view.id);
        return { ...view, alert: null };
      }),

    /** Undefined for a view without an alert. */
    async matches(view: View, after: number | 'latest', limit: number): Promise<MatchPage | undefined> {
      if (view.alert === null) return undefined;
      const from = after === 'latest' ? await lastPosition(db, view.id) : after;
      return readMatches(db, view.id, from, limit);
    },

    /** Newest first; undefined for a view without an alert. */
    latestMatches: async (view: View, limit: number): Promise<readonly Match[] | undefined> =>
      view.alert === null ? undefined : readLatestMatches(db, view.id, limit),

    async remove(owner: string, id: string): Promise<boolean> {
      const { rowCount } = await db.query('delete from catalog_views where owner = $1 and id = $2', [owner, id]);
      return rowCount > 0;
    },
  };
}

interface ViewOwner {
  readonly owner: string;
  readonly address?: string;
}

type NewView = Pick<View, 'name' | 'query'>;

interface ViewRow extends Omit<View, 'alert'> {
  readonly webhookUrl: string | null;
  /** Null without an alert. */
  readonly since: Date | null;
  readonly hidden: boolean;
}

const viewOf = ({ webhookUrl, since, hidden, ...view }: ViewRow): View => ({
  ...view,
  alert: since && { webhookUrl, since, hidden },
});

const SELECT = `
  select id, name, query, created_at as "createdAt",
         a.webhook_url as "webhookUrl", a.since, ${HIDDEN} as hidden
    from catalog_views left join catalog_alerts a on a.view_id = id
   where owner = $1`;

async function insert(db: Queryable, { owner, address }: ViewOwner, { name, query }: NewView): Promise<View> {
  const { rows } = await db.query<Omit<View, 'alert'>>(
    `insert into catalog_views (id, owner, name, query, address)
     select $1, $2, $3, $4, $6::text
      where (select count(*) from catalog_views where owner = $2) < $5
        and (select count(*) from catalog_views where address = $6::text) < $7
     on conflict (owner, name) do nothing
     returning id, name, query, created_at as "createdAt"`,
    [newId('view_'), owner, name, query, MAX_VIEWS, address ?? null, MAX_PER_ADDRESS],
  );
  if (rows[0] !== undefined) return { ...rows[0], alert: null };
  const { rowCount } = await db.query('select from catalog_views where owner = $1 and name = $2', [owner, name]);
  throw rowCount > 0 ? viewExists() : tooManyViews(MAX_VIEWS);
}

export type ViewOwners = ReturnType<typeof createViewOwners>;

const COOKIE = 'assay_catalog_views';
const YEAR_SECONDS = 365 * 86_400;

/** The token or, with public access, the browser's cookie. */
export function createViewOwners(rules: CookieRules) {
  const options = cookieOptions(rules);
  const cookieOf = ({ cookies }: FastifyRequest) => {
    const cookie = cookies[COOKIE];
    return cookie !== undefined && /^[\w-]{43}$/.test(cookie) ? cookie : undefined;
  };
  return {
    find(request: FastifyRequest, visitor: Visitor): string | undefined {
      if (visitor.by !== 'open') return visitor.principal;
      const cookie = cookieOf(request);
      return cookie && ownerOf(cookie);
    },

    /** Sets a cookie for a client without a token, whose views are limited per `address`. */
    create(request: FastifyRequest, reply: FastifyReply, visitor: Visitor): { owner: string; address?: string } {
      if (visitor.by !== 'open') return { owner: visitor.principal };
      const cookie = cookieOf(request) ?? randomBytes(32).toString('base64url');
      void reply.setCookie(COOKIE, cookie, options(request, YEAR_SECONDS));
      return { owner: ownerOf(cookie), address: visitor.principal };
    },
  };
}

const ownerOf = (cookie: string) => `visitor:${hash('sha256', cookie, 'hex')}`;
