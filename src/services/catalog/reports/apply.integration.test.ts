import { describe, expect, it } from 'vitest';
import { testReports } from '../../../../test/support/catalog-reports.ts';
import { createReports } from './postgres.ts';
import type { NewReport } from './report.ts';

const { db, reports, reported, decide } = await testReports();

describe('applying decisions', () => {
  const record = (recordId: string) =>
    db.query(
      `insert into catalog_records (record_id, service, status, created_at, title, search, hidden)
       values ($1, 'import', 'done', now(), 'x', '', catalog_hidden($1))`,
      [recordId],
    );
  const isHidden = async (recordId: string) =>
    (await db.query<{ hidden: boolean }>('select hidden from catalog_records where record_id = $1', [recordId]))
      .rows[0]!.hidden;
  const about = (actionType: NewReport['actionType'], over: Partial<NewReport> = {}) =>
    reported({ actionType, reporter: `token-${actionType}`, ...over });

  it.each(['delete', 'hide'] as const)(
    'hides the record when a %s is accepted, and shows it again when the report is reopened',
    async (action) => {
      await record('a:1');
      await record('a:2');
      const report = await about(action);
      await decide(report, { status: 'in_review' });
      expect(await isHidden('a:1')).toBe(false);
      await decide(report, { status: 'accepted' });
      expect([await isHidden('a:1'), await isHidden('a:2')]).toEqual([true, false]);
      await decide(report, { status: 'open', note: 'looked again' });
      expect(await isHidden('a:1')).toBe(false);
      await decide(report, { status: 'rejected' });
      expect(await isHidden('a:1')).toBe(false);
    },
  );

  it.each(['edit', 'reclassify', 'other'] as const)(
    'does not hide the record when a %s is accepted',
    async (action) => {
      await record('a:1');
      await decide(await about(action), { status: 'accepted' });
      expect(await isHidden('a:1')).toBe(false);
    },
  );

  it('lets an accepted restore undo an accepted delete: the latest decision counts', async () => {
    await record('a:1');
    const deletion = await about('delete');
    const restore = await about('restore');
    await decide(deletion, { status: 'accepted' });
    await decide(restore, { status: 'accepted' });
    expect(await isHidden('a:1')).toBe(false);
    await decide(await about('hide'), { status: 'accepted' });
    expect(await isHidden('a:1')).toBe(true);
    await decide(deletion, { status: 'open', note: 'x' });
    expect(await isHidden('a:1')).toBe(true);
    await decide(deletion, { status: 'rejected' });
    const hide = (await reports.list({ actionType: 'hide' }, { page: 1, limit: 1, sort: 'newest' })).items[0]!;
    await decide(hide, { status: 'open', note: 'x' });
    expect(await isHidden('a:1')).toBe(false);
  });

  it('applies the last of many concurrent decisions on one record', async () => {
    await record('a:1');
    const some = await Promise.all(
      Array.from({ length: 12 }, (_, i) => about(i % 2 ? 'restore' : 'delete', { reporter: `token-${i}` })),
    );
    await Promise.all(some.map((report) => decide(report, { status: 'accepted' })));
    const { rows } = await db.query<{ note: string }>(
      `select first.note
         from report_events last join report_events first using (report_id)
        where first.action = 'created' order by last.serial desc limit 1`,
    );
    expect(await isHidden('a:1')).toBe(rows[0]!.note.startsWith('delete'));
  });

  it('hides a record that is indexed after the decision', async () => {
    const report = await about('delete');
    await decide(report, { status: 'accepted' });
    await record('a:1');
    expect(await isHidden('a:1')).toBe(true);
    await decide(report, { status: 'open', note: 'x' });
    expect(await isHidden('a:1')).toBe(false);
  });

  it('changes nothing with `apply: false`, also when the record is indexed again', async () => {
    await record('a:1');
    const withoutApply = createReports({ db, apply: false });
    const report = await about('delete');
    await withoutApply.change(report.id, { actor: 'anna', status: 'accepted' });
    expect(await isHidden('a:1')).toBe(false);
    await db.query('delete from catalog_records');
    await record('a:1');
    expect(await isHidden('a:1')).toBe(false);
    // A decision that was applied is undone nevertheless.
    const applied = await about('hide');
    await decide(applied, { status: 'accepted' });
    expect(await isHidden('a:1')).toBe(true);
    await withoutApply.change(applied.id, { actor: 'anna', status: 'open', note: 'x' });
    expect(await isHidden('a:1')).toBe(false);
  });
});
