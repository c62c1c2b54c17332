import { describe, expect, it } from 'vitest';
import { testReports } from '../../../../test/support/catalog-reports.ts';
import { isUnavailable } from '../../../base/db-errors.ts';
import { lockRecords } from '../records/write.ts';
import { createViews } from '../views/views.ts';

const { db, reported, decide } = await testReports();

/** Runs `work` while another transaction writes records. */
const whileRecordsAreWritten = <T>(work: () => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    await lockRecords(tx);
    return work();
  });

async function withAlert(work: () => Promise<unknown>): Promise<void> {
  const views = createViews(db, async () => ['anna']);
  const { id } = await views.create(
    { owner: 'anna' },
    { name: 'reported', query: '' },
    { filters: { hasReport: true } },
  );
  await work().finally(() => views.remove('anna', id));
}

describe('while records are written', () => {
  it('reports are created and taken into review', async () => {
    await whileRecordsAreWritten(async () => {
      const report = await reported();
      expect(await decide(report, { status: 'in_review' })).toMatchObject({ outcome: 'changed' });
      const edit = await reported({ actionType: 'edit' });
      expect(await decide(edit, { status: 'accepted' })).toMatchObject({ outcome: 'changed' });
    });
  });

  it('a decision that hides a record, and a report of a catalog with an alert, fail after 5 s as unavailable', {
    tags: ['full'],
  }, async () => {
    const report = await reported({ actionType: 'hide' });
    await withAlert(async () => {
      const began = performance.now();
      const failures = await whileRecordsAreWritten(() =>
        Promise.allSettled([decide(report, { status: 'accepted' }), reported({ recordId: 'a:2' })]),
      );
      expect(performance.now() - began).toBeLessThan(15_000);
      for (const failure of failures) {
        expect(failure).toMatchObject({ status: 'rejected' });
        expect(isUnavailable((failure as PromiseRejectedResult).reason)).toBe(true);
      }
    });
    expect(await decide(report, { status: 'accepted' })).toMatchObject({ outcome: 'changed' });
  });

  it('many waiting reports leave connections for other requests', { tags: ['full'] }, async () => {
    await withAlert(async () => {
      await whileRecordsAreWritten(async () => {
        const waiting = Promise.allSettled(Array.from({ length: 30 }, (_, i) => reported({ recordId: `a:${i}` })));
        for (let i = 0; i < 20; i++) expect((await db.query('select')).rowCount).toBe(1);
        expect(new Set((await waiting).map(({ status }) => status))).toEqual(new Set(['rejected']));
      });
    });
  });
});
