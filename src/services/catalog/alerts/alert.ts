import type { Webhook } from '../../../tasks/task.ts';
import type { Filters, Hit } from '../search/search-types.ts';

/** Announces records that begin to match a saved view after it was set. */
export interface Alert {
  readonly webhookUrl: string | null;
  readonly since: Date;
  /** Of hidden records: readable by moderators only. */
  readonly hidden: boolean;
  /** The latest webhook with an attempt, while it can be read. */
  readonly lastDelivery?: Webhook | undefined;
}

export interface NewAlert {
  /** Of the view's query. */
  readonly filters: Filters;
  readonly webhookUrl?: string | undefined;
  /** Encrypted. */
  readonly secret?: Buffer | undefined;
}

export interface Match {
  readonly position: number;
  readonly matchedAt: Date;
  readonly hit: Hit;
}

export const MATCHED_EVENT = 'view.matched';

export interface MatchedData {
  readonly view: { readonly id: string; readonly name: string };
  readonly matches: readonly object[];
}

/** As stored in JSON. */
export type StoredFilters = Omit<Filters, 'from' | 'to'> & { readonly from?: string; readonly to?: string };

export const storedToFilters = ({ from, to, ...others }: StoredFilters): Filters => ({
  ...others,
  ...(from !== undefined && { from: new Date(from) }),
  ...(to !== undefined && { to: new Date(to) }),
});
