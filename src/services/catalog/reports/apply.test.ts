import { describe, expect, it } from 'vitest';
import { openReports } from './postgres.ts';
import type { NewReport } from './report.ts';
import { testReports } from './testing/reports.ts';

const { db, reports, reported, decide } = await testReports();

describe('what decisions do to the catalog', () => {
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
    'an accepted %s hides the record, and reopening shows it again',
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

  it.each(['edit', 'reclassify', 'other'] as const)('an accepted %s hides nothing', async (action) => {
    await record('a:1');
    await decide(await about(action), { status: 'accepted' });
    expect(await isHidden('a:1')).toBe(false);
  });

  it('an accepted restore takes an accepted delete back, and the latest decision counts', async () => {
    await record('a:1');
    const gone = await about('delete');
    const back = await about('restore');
    await decide(gone, { status: 'accepted' });
    await decide(back, { status: 'accepted' });
    expect(await isHidden('a:1')).toBe(false);
    await decide(await about('hide'), { status: 'accepted' });
    expect(await isHidden('a:1')).toBe(true);
    await decide(gone, { status: 'open', note: 'x' });
    expect(await isHidden('a:1')).toBe(true);
    await decide(gone, { status: 'rejected' });
    const hide = (await reports.list({ actionType: 'hide' }, { page: 1, limit: 1, sort: 'newest' })).items[0]!;
    await decide(hide, { status: 'open', note: 'x' });
    expect(await isHidden('a:1')).toBe(false);
  });

  it('of many decisions on one record at once the last one counts', async () => {
    await record('a:1');
    const some = await Promise.all(
      Array.from({ length: 12 }, (_, i) => about(i % 2 ? 'restore' : 'delete', { reporter: `token-${i}` })),
    );
    await Promise.all(some.map((report) => decide(report, { status: 'accepted' })));
    const { rows } = await db.query<{ note: string }>(
      `select born.note
         from report_events last join report_events born using (report_id)
        where born.action = 'created' order by last.serial desc limit 1`,
    );
    expect(await isHidden('a:1')).toBe(rows[0]!.note.startsWith('delete'));
  });

  it('a record that comes after the decision on it comes hidden', async () => {
    const report = await about('delete');
    await decide(report, { status: 'accepted' });
    await record('a:1');
    expect(await isHidden('a:1')).toBe(true);
    await decide(report, { status: 'open', note: 'x' });
    expect(await isHidden('a:1')).toBe(false);
  });

  it('nothing where decisions are only written down, and not either when the record is indexed anew', async () => {
    await record('a:1');
    const quiet = openReports({ db, apply: false });
    const report = await about('delete');
    await quiet.change(report.id, { actor: 'anna', status: 'accepted' });
    expect(await isHidden('a:1')).toBe(false);
    await db.query('delete from catalog_records');
    await record('a:1');
    expect(await isHidden('a:1')).toBe(false);
    // One that has acted is taken back all the same.
    const loud = await about('hide');
    await decide(loud, { status: 'accepted' });
    expect(await isHidden('a:1')).toBe(true);
    await quiet.change(loud.id, { actor: 'anna', status: 'open', note: 'x' });
    expect(await isHidden('a:1')).toBe(false);
  });
});
