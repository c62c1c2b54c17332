import { sendMessages } from '../../../tasks/messages.ts';
import type { AnnounceReport } from './report.ts';
import { reportBody } from './responses.ts';

/** The client of these webhooks, in place of a token. */
export const REPORTS_PRINCIPAL = 'reports';

/** Sends new reports and decisions to `url`, without the receipt. */
export const reportAnnouncer =
  ({ service, url, ttlSeconds }: { service: string; url: string; ttlSeconds: number }): AnnounceReport =>
  (tx, event, report, requestId) =>
    sendMessages(tx, [
      { service, principal: REPORTS_PRINCIPAL, url, event, data: reportBody(report), ttlSeconds, requestId },
    ]);
