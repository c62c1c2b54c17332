import { describe, expect, it } from 'vitest';
import { clearAuditTrail } from '../../../../test/support/catalog-audit-trail.ts';
import { testReports } from '../../../../test/support/catalog-reports.ts';
import type { Reports } from './postgres.ts';
import type { Report } from './report.ts';
import { verifyAuditTrail } from './verify-audit-trail.ts';

const { db, reports, reported, decide } = await testReports();
const trailOf = async ({ id }: Report) =>
  (await reports.events(id))!.map(({ actor, action, from, to, note }) => [actor, action, from, to, note]);

describe('a report', () => {
  it('is open when created, and its receipt gives access to it', async () => {
    const { report, receipt } = await reports.create({
      ...{ recordId: 'a:1', actionType: 'hide', description: 'blurred', userInfo: 'team 4', reporter: 'token-reader' },
      requestId: 'request-1',
    });
    expect(report).toMatchObject({
      id: expect.stringMatching(/^rep_[0-9A-Z]{26}$/),
      ...{ recordId: 'a:1', actionType: 'hide', description: 'blurred', userInfo: 'team 4', status: 'open' },
      ...{ resolverNote: null, resolvedAt: null, version: 1 },
    });
    expect(report.updatedAt).toEqual(report.createdAt);
    expect(receipt).toMatch(/^[\w-]{22,}$/);
    expect(await reports.byReceipt(report.id, receipt!)).toEqual(report);
    expect(await reports.byReceipt(report.id, `${receipt}x`)).toBeUndefined();
    expect(await reports.byReceipt((await reported()).id, receipt!)).toBeUndefined();
    expect(await reports.find(report.id)).toEqual(report);
    const { rows } = await db.query<{ row: string }>('select reports::text as row from reports');
    expect(rows.some(({ row }) => row.includes(receipt!))).toBe(false);
    expect(await reports.events(report.id)).toEqual([
      expect.objectContaining({
        ...{ serial: 1, actor: 'token-reader', action: 'created', outcome: 'done', from: null, to: 'open' },
        ...{ note: 'hide a:1', requestId: 'request-1', at: report.createdAt, prevHash: '0'.repeat(64) },
      }),
    ]);
  });

  it('that repeats the reporter’s open report of the last 24 hours returns that report', async () => {
    const first = await reported({ description: 'a' });
    expect(await reports.create({ recordId: 'a:1', actionType: 'delete', reporter: 'token-reader' })).toEqual({
      report: first,
    });
    const others = [
      await reported({ recordId: 'a:2' }),
      await reported({ actionType: 'hide' }),
      await reported({ reporter: 'token-other' }),
    ];
    expect(new Set([first, ...others].map(({ id }) => id)).size).toBe(4);
    await db.query(`update reports set created_at = created_at - interval '23 hours 59 minutes'`);
    expect((await reported()).id).toBe(first.id);
    await db.query(`update reports set created_at = created_at - interval '2 minutes'`);
    expect((await reported()).id).not.toBe(first.id);
  });

  it('is created when the earlier one is decided or in review', async () => {
    for (const status of ['in_review', 'rejected'] as const) {
      const first = await reported();
      await decide(first, { status });
      expect((await reported()).id).not.toBe(first.id);
      await clearAuditTrail(db);
      await db.query('truncate reports');
    }
  });

  it('that is sent twice concurrently is created once', async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        reports.create({ recordId: `a:${i % 4}`, actionType: 'delete', reporter: 'token-reader' }),
      ),
    );
    expect(new Set(results.map(({ report }) => report.id)).size).toBe(4);
    expect(results.filter(({ receipt }) => receipt !== undefined)).toHaveLength(4);
    expect(await reports.counts()).toEqual({ open: 4, in_review: 0, accepted: 0, rejected: 0, duplicate: 0 });
  });
});

describe('a decision', () => {
  it('stores status, note and time, and increments the version', async () => {
    const report = await reported();
    const changed = await decide(report, { status: 'accepted', note: 'right', requestId: 'request-2' });
    expect(changed).toMatchObject({
      outcome: 'changed',
      report: { status: 'accepted', resolverNote: 'right', version: 2, createdAt: report.createdAt },
    });
    const now = changed!.report;
    expect(now.resolvedAt).toEqual(now.updatedAt);
    expect(now.updatedAt.getTime()).toBeGreaterThan(report.updatedAt.getTime());
    expect(await reports.find(report.id)).toEqual(now);

    const opened = (await decide(now, { status: 'open', note: 'too early' }, 'boris'))!.report;
    expect(opened).toMatchObject({ status: 'open', resolverNote: 'too early', version: 3, resolvedAt: null });
    expect(await trailOf(report)).toEqual([
      ['token-reader', 'created', null, 'open', 'delete a:1'],
      ['anna', 'changed', 'open', 'accepted', 'right'],
      ['boris', 'changed', 'accepted', 'open', 'too early'],
    ]);
  });

  it('without a note clears the note of the earlier decision; the audit trail keeps all notes', async () => {
    const report = await reported();
    await decide(report, { status: 'accepted', note: 'right' });
    await decide(report, { status: 'open', note: 'too early' });
    await decide(report, { note: 'look at it again' });
    const rejected = (await decide(report, { status: 'rejected' }))!.report;
    expect(rejected).toMatchObject({ status: 'rejected', resolverNote: null });
    expect(await reports.find(report.id)).toEqual(rejected);
    expect((await trailOf(report)).map((event) => event.at(-1))).toEqual([
      ...['delete a:1', 'right', 'too early', 'look at it again', null],
    ]);
    // A repeated decision without a note keeps the note.
    await decide(report, { note: 'after all' });
    expect(await decide(report, { status: 'rejected' })).toMatchObject({ report: { resolverNote: 'after all' } });
    expect(await verifyAuditTrail(db)).toMatchObject({ outcome: 'intact' });
  });

  it('that is rejected is recorded in the audit trail and changes nothing', async () => {
    const report = await reported();
    const accepted = (await decide(report, { status: 'accepted' }))!.report;
    const rejected = [
      await decide(report, { status: 'rejected' }, 'boris'),
      await decide(report, { status: 'open' }),
      await decide(report, { status: 'open', note: 'old', ifVersion: 1 }),
      await decide(report, { status: 'accepted' }, 'boris'),
    ];
    const outcomes = ['forbidden', 'needs-note', 'stale', 'forbidden'];
    expect(rejected).toEqual(outcomes.map((outcome) => ({ outcome, report: accepted })));
    expect(await reports.find(report.id)).toEqual(accepted);
    expect((await trailOf(report)).slice(2)).toEqual([
      ['boris', 'refused', 'accepted', 'rejected', null],
      ['anna', 'refused', 'accepted', 'open', null],
      ['anna', 'refused', 'accepted', 'open', 'old'],
      ['boris', 'refused', 'accepted', 'accepted', null],
    ]);
  });

  it('that is repeated by the same moderator changes nothing', async () => {
    const report = await reported();
    const first = await decide(report, { status: 'rejected', note: 'no', ifVersion: 1 });
    const again = await decide(report, { status: 'rejected', note: 'no', ifVersion: 1 });
    expect(again).toEqual({ outcome: 'unchanged', report: first!.report });
  });

  it('on an unknown report returns undefined and adds no event', async () => {
    expect(await reports.change('rep_none', { actor: 'anna', status: 'accepted' })).toBeUndefined();
    expect(await reports.events('rep_none')).toBeUndefined();
    expect(await verifyAuditTrail(db)).toMatchObject({ rows: 0 });
  });

  it('by two moderators concurrently succeeds once; the other gets the new state, and the audit trail has both', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => reported({ recordId: `a:${i}` })));
    await Promise.all(
      all.map(async (report, i) => {
        const [one, two] = await Promise.all([
          decide(report, { status: 'accepted' }, 'anna'),
          decide(report, { status: i % 2 === 0 ? 'accepted' : 'rejected' }, 'boris'),
        ]);
        expect([one!.outcome, two!.outcome].sort()).toEqual(['changed', 'forbidden']);
        const [winner, loser] = one!.outcome === 'changed' ? [one!, two!] : [two!, one!];
        expect(loser.report).toEqual(winner.report);
        expect(await reports.find(report.id)).toEqual(winner.report);
        const trail = (await trailOf(report)).slice(1);
        expect(trail.map(([actor]) => actor).sort()).toEqual(['anna', 'boris']);
        expect(trail.map(([, action]) => action)).toEqual(['changed', 'refused']);
      }),
    );
    expect(await verifyAuditTrail(db)).toMatchObject({ outcome: 'intact', rows: 60 });
  });
});

describe('report lists', () => {
  const ids = async (
    ...[filters, page = { page: 1, limit: 50, sort: 'oldest' }]: Parameters<Reports['list']> | [object]
  ) => (await reports.list(filters, page as never)).items.map(({ recordId }) => recordId);

  it('are sorted and paged, with the total', async () => {
    for (let i = 0; i < 5; i++) await reported({ recordId: `a:${i}` });
    expect(await ids({})).toEqual(['a:0', 'a:1', 'a:2', 'a:3', 'a:4']);
    expect(await ids({}, { page: 2, limit: 2, sort: 'newest' })).toEqual(['a:2', 'a:1']);
    expect(await reports.list({}, { page: 4, limit: 2, sort: 'newest' })).toEqual({ items: [], total: 5 });
  });

  it('apply every filter', async () => {
    const first = await reported({ recordId: 'a:1', description: 'Чужое лицо, 100%_\\' });
    await reported({ recordId: 'a:2', actionType: 'hide', userInfo: 'team FOUR' });
    await decide(first, { status: 'accepted', note: 'Скрыто' });
    expect(await ids({ status: 'accepted' })).toEqual(['a:1']);
    expect(await ids({ actionType: 'hide' })).toEqual(['a:2']);
    expect(await ids({ recordId: 'a:2' })).toEqual(['a:2']);
    expect(await ids({ q: 'ЛИЦО скрыто' })).toEqual(['a:1']);
    expect(await ids({ q: 'four TOKEN-' })).toEqual(['a:2']);
    for (const word of ['100%_\\', '%', '_', '\\']) {
      expect(await ids({ q: word }), word).toEqual(word === '_' ? ['a:1', 'a:2'] : ['a:1']);
    }
    expect(await ids({ q: 'лицо four' })).toEqual([]);
    expect(await ids({ from: first.createdAt })).toHaveLength(2);
    expect(await ids({ to: first.createdAt })).toEqual([]);
    expect(await ids({ from: first.createdAt, to: new Date(first.createdAt.getTime() + 1) })).toEqual(['a:1']);
  });

  it('of a record are sorted newest first', async () => {
    const [one, two] = [await reported(), await reported({ actionType: 'hide' })];
    await reported({ recordId: 'a:2' });
    expect(await reports.listOfRecord('a:1')).toEqual([two, one]);
  });
});
