import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clearAuditTrail, tamper } from '../../../../test/support/catalog-audit-trail.ts';
import { type TestDatabase, testDatabase } from '../../../../test/support/database.ts';
import type { Db } from '../../../base/db.ts';
import {
  appendEvent,
  COLUMNS,
  type EventRow,
  type HashedRow,
  hashEvent,
  hashTexts,
  lockAuditTrail,
} from './audit-trail.ts';
import { createReports, type Reports } from './postgres.ts';
import type { Report } from './report.ts';
import { verifyAuditTrail } from './verify-audit-trail.ts';

let database: TestDatabase;
let db: Db;
let reports: Reports;
let first: Report;
beforeAll(async () => {
  database = await testDatabase();
  db = database.db;
  reports = createReports({ db, apply: true });
});
/** Six events: two reports, a decision, a rejected change, a reopening, another decision. */
beforeEach(async () => {
  const texts = { description: 'Не та стена \ud800', userInfo: 'вахта' };
  first = (await reports.create({ recordId: 'a:1', actionType: 'delete', reporter: 'token-reader', ...texts })).report;
  const { report: second } = await reports.create({ recordId: 'a:2', actionType: 'hide', reporter: 'token-reader' });
  await reports.change(first.id, { actor: 'anna', status: 'accepted', note: 'строка "<b>" \u202e' });
  await reports.change(first.id, { actor: 'boris', status: 'rejected' });
  await reports.change(first.id, { actor: 'anna', status: 'open', note: 'again' });
  await reports.change(second.id, { actor: 'anna', status: 'rejected', requestId: 'request-9' });
});
afterEach(async () => {
  await clearAuditTrail(db);
  await db.query('truncate reports');
});
afterAll(() => database.drop());

const rows = async () =>
  (await db.query<HashedRow>(`select ${COLUMNS.join(', ')}, hash from report_events order by serial`)).rows;
const insert = (row: EventRow, hash = hashEvent(row)) =>
  tamper(
    db,
    `insert into report_events (${COLUMNS.join(', ')}, hash)
     values (${COLUMNS.map((_, i) => `$${i + 1}`).join(', ')}, $${COLUMNS.length + 1})`,
    [...COLUMNS.map((column) => row[column]), hash],
  );
/** Renumbers the rows from `from` on, via unused numbers. */
const shift = async (from: number, by: number) => {
  await tamper(db, 'update report_events set serial = serial + 1000 where serial >= $1', [from]);
  await tamper(db, 'update report_events set serial = serial - 1000 + $1::int where serial > 1000', [by]);
};

describe('the audit trail', () => {
  it('is intact when not tampered with, with its length and last hash', async () => {
    const all = await rows();
    expect(all.map(({ serial }) => serial)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await verifyAuditTrail(db)).toEqual({ outcome: 'intact', rows: 6, lastHash: all[5]!.hash.toString('hex') });
    await clearAuditTrail(db);
    await db.query('truncate reports');
    expect(await verifyAuditTrail(db)).toEqual({ outcome: 'intact', rows: 0, lastHash: '0'.repeat(64) });
  });

  it('has increasing times, and each event has the hash of the previous one, the first zeros', async () => {
    const all = await rows();
    expect(all[0]!.prev_hash).toEqual(Buffer.alloc(32));
    for (let i = 1; i < all.length; i++) {
      expect(all[i]!.prev_hash).toEqual(all[i - 1]!.hash);
      expect(all[i]!.at.getTime()).toBeGreaterThan(all[i - 1]!.at.getTime());
    }
  });

  it('is hashed as documented', () => {
    const row: EventRow = {
      ...{ serial: 1, report_id: 'rep_1', at: new Date('2026-11-20T10:00:00.005Z'), actor: 'token-1' },
      ...{
        action: 'created',
        outcome: 'done',
        old_status: null,
        new_status: 'open',
        note: 'delete "ё"',
        request_id: 'r-1',
      },
      content: hashTexts({ description: '"ё"', userInfo: null, resolverNote: null }),
      prev_hash: Buffer.alloc(32),
    };
    // printf '%s' '[1,"rep_1","2026-11-20T10:00:00.005Z",…,"000…"]' | sha256sum
    expect(hashEvent(row).toString('hex')).toBe('b0006a02ca04c6f1ad324b3d689ab2be33e2322df483c4210c24af2753c2cd60');
  });

  it.each(['update report_events set note = null', 'delete from report_events', 'truncate report_events'])(
    'is append-only: rejects `%s` even from the owner of the table',
    async (sql) => {
      await expect(db.query(sql)).rejects.toThrow(/append-only/);
      expect(await verifyAuditTrail(db)).toMatchObject({ outcome: 'intact', rows: 6 });
    },
  );

  it.each([
    ['note', `'other'`],
    ['note', 'null'],
    ['actor', `'token-reader'`],
    ['new_status', `'rejected'`],
    ['old_status', 'null'],
    ['request_id', `'x'`],
    ['at', `at + interval '1 millisecond'`],
    ['outcome', `'refused'`],
    ['action', `'created'`],
    ['report_id', `'rep_x'`],
    ['content', String.raw`'\x00'`],
    ['prev_hash', String.raw`'\x00'`],
    ['hash', String.raw`'\x00'`],
  ])('detects that %s was changed to %s', async (column, value) => {
    await tamper(db, `update report_events set ${column} = ${value} where serial = 3`);
    expect(await verifyAuditTrail(db)).toEqual({ outcome: 'broken', serial: 3, why: 'changed' });
  });

  it.each([1, 2, 4])('detects that event %i is missing', async (serial) => {
    await tamper(db, `delete from report_events where serial = ${serial}`);
    expect(await verifyAuditTrail(db)).toEqual({ outcome: 'broken', serial, why: 'missing' });
  });

  it('detects a deleted event whose successors were renumbered', async () => {
    await tamper(db, 'delete from report_events where serial = 3');
    await shift(4, -1);
    expect(await verifyAuditTrail(db)).toEqual({ outcome: 'broken', serial: 3, why: 'changed' });
  });

  it('detects an inserted event, also with a valid hash', async () => {
    const all = await rows();
    await shift(4, 1);
    await insert({ ...all[3]!, serial: 4, note: 'mine', prev_hash: all[1]!.hash });
    expect(await verifyAuditTrail(db)).toEqual({ outcome: 'broken', serial: 4, why: 'inserted' });
    await tamper(db, 'delete from report_events where serial = 4');
    await insert({ ...all[3]!, serial: 4, note: 'mine' });
    expect(await verifyAuditTrail(db)).toEqual({ outcome: 'broken', serial: 5, why: 'changed' });
  });

  it('detects an event inserted before the first', async () => {
    await insert({ ...(await rows())[0]!, serial: 0 });
    expect(await verifyAuditTrail(db)).toEqual({ outcome: 'broken', serial: 0, why: 'inserted' });
  });

  it('detects two swapped events', async () => {
    await tamper(
      db,
      'update report_events set serial = case serial when 2 then 103 else 102 end where serial in (2, 3)',
    );
    await tamper(db, 'update report_events set serial = serial - 100 where serial > 100');
    expect(await verifyAuditTrail(db)).toEqual({ outcome: 'broken', serial: 2, why: 'changed' });
  });

  it('detects a deleted end while the report still has its effect', async () => {
    await tamper(db, 'delete from report_events where serial = 6');
    const second = (await reports.listOfRecord('a:2'))[0]!;
    expect(await verifyAuditTrail(db)).toEqual({ outcome: 'mismatch', report: second.id, why: 'changed' });
  });

  it.each([
    [`status = 'accepted'`, 'changed'],
    [`action_type = 'other'`, 'changed'],
    [`record_id = 'a:9'`, 'changed'],
    [`description = 'of another'`, 'changed'],
    [`description = null`, 'changed'],
    [`user_info = 'of another'`, 'changed'],
    [`resolver_note = 'another reason'`, 'changed'],
    [`resolver_note = null`, 'changed'],
    [`description = user_info, user_info = description`, 'changed'],
  ])('detects a report that was changed without an event: %s', async (change, why) => {
    await db.query(`update reports set ${change} where id = $1`, [first.id]);
    expect(await verifyAuditTrail(db)).toEqual({ outcome: 'mismatch', report: first.id, why });
  });

  it('detects a deleted report and a report without a created event', async () => {
    await db.query('update reports set id = $2 where id = $1', [first.id, 'rep_0']);
    const found = await verifyAuditTrail(db);
    expect([
      { report: first.id, why: 'missing' },
      { report: 'rep_0', why: 'unknown' },
    ]).toContainEqual({
      report: (found as { report: string }).report,
      why: (found as { why: string }).why,
    });
    await db.query(`delete from reports where id = 'rep_0'`);
    expect(await verifyAuditTrail(db)).toEqual({ outcome: 'mismatch', report: first.id, why: 'missing' });
  });

  it('is verified in batches of a thousand events and during concurrent writes', { tags: ['full'] }, async () => {
    const id = first.id;
    const entry = {
      reportId: id,
      actor: 'anna',
      action: 'changed',
      from: 'open',
      to: 'open',
      requestId: null,
      texts: { ...first, resolverNote: 'again' },
    } as const;
    await db.transaction(async (tx) => {
      await lockAuditTrail(tx);
      for (let i = 0; i < 1100; i++) await appendEvent(tx, { ...entry, note: `note ${i}` });
    });
    // Several events per millisecond of the clock, and still in order.
    const { rows: times } = await db.query<{ at: Date }>('select at from report_events order by serial');
    expect(times.every(({ at }, i) => i === 0 || at > times[i - 1]!.at)).toBe(true);
    const [result] = await Promise.all([
      verifyAuditTrail(db),
      ...Array.from({ length: 40 }, (_, i) => reports.change(id, { actor: 'anna', note: `later ${i}` })),
    ]);
    expect(result).toMatchObject({ outcome: 'intact' });
    await tamper(db, `update report_events set note = 'x' where serial = 1050`);
    expect(await verifyAuditTrail(db)).toEqual({ outcome: 'broken', serial: 1050, why: 'changed' });
  });
});
