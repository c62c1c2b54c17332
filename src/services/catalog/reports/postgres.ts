import type { Db } from '../../../base/db.ts';
import { readEvents } from './audit-trail.ts';
import { reportChanger } from './change.ts';
import { receiptDigest, reportCreator } from './create.ts';
import { countReports, listReports } from './list.ts';
import type { Report, Reports } from './report.ts';
import { COLUMNS, type ReportRow, reportFrom } from './rows.ts';

const MAX_OF_RECORD = 200;

/** `apply`: whether new decisions hide and show records. Reopening undoes an applied decision regardless. */
export function createReports({ db, apply }: { db: Db; apply: boolean }): Reports {
  async function select(where: string, parameters: readonly unknown[]): Promise<Report[]> {
    const { rows } = await db.query<ReportRow>(
      `select ${COLUMNS} from reports where ${where} order by created_at desc, id desc limit ${MAX_OF_RECORD}`,
      parameters,
    );
    return rows.map(reportFrom);
  }

  return {
    create: reportCreator(db),
    change: reportChanger({ db, apply }),
    find: async (id) => (await select('id = $1', [id]))[0],
    byReceipt: async (id, receipt) => (await select('id = $1 and receipt = $2', [id, receiptDigest(receipt)]))[0],
    list: (filters, page) => listReports(db, filters, page),
    listOfRecord: (recordId) => select('record_id = $1', [recordId]),
    counts: () => countReports(db),
    async events(id) {
      const events = await readEvents(db, id);
      return events.length === 0 ? undefined : events;
    },
  };
}
