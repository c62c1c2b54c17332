import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Db } from '../../../base/db.ts';
import { type TestDatabase, testDatabase } from '../../../base/testing/database.ts';
import { openReports } from './postgres.ts';
import type { Report, Reports } from './report.ts';
import { clearTrail, tamper } from './testing/trail.ts';
import { append, COLUMNS, contentOf, type EventRow, type HashedRow, hashOf, holdTrail } from './trail.ts';
import { verifyTrail } from './verify.ts';

let database: TestDatabase;
let db: Db;
let reports: Reports;
let first: Report;
beforeAll(async () => {
  database = await testDatabase();
  db = database.db;
  reports = openReports({ db, apply: true });
});
/** Six rows: two reports, a decision, a refusal, a reopening, another decision. */
beforeEach(async () => {
  const said = { description: 'Не та стена \ud800', userInfo: 'вахта' };
  first = (await reports.create({ recordId: 'a:1', actionType: 'delete', reporter: 'token-reader', ...said })).report;
  const { report: second } = await reports.create({ recordId: 'a:2', actionType: 'hide', reporter: 'token-reader' });
  await reports.change(first.id, { actor: 'anna', status: 'accepted', note: 'строка "<b>" \u202e' });
  await reports.change(first.id, { actor: 'boris', status: 'rejected' });
  await reports.change(first.id, { actor: 'anna', status: 'open', note: 'again' });
  await reports.change(second.id, { actor: 'anna', status: 'rejected', requestId: 'request-9' });
});
afterEach(async () => {
  await clearTrail(db);
  await db.query('truncate reports');
});
afterAll(() => database.drop());

const rows = async () =>
  (await db.query<HashedRow>(`select ${COLUMNS.join(', ')}, hash from report_events order by serial`)).rows;
const insert = (row: EventRow, hash = hashOf(row)) =>
  tamper(
    db,
    `insert into report_events (${COLUMNS.join(', ')}, hash)
     values (${COLUMNS.map((_, i) => `$${i + 1}`).join(', ')}, $${COLUMNS.length + 1})`,
    [...COLUMNS.map((column) => row[column]), hash],
  );
/** Moves the rows from `from` on, by way of numbers that are free. */
const shift = async (from: number, by: number) => {
  await tamper(db, 'update report_events set serial = serial + 1000 where serial >= $1', [from]);
  await tamper(db, 'update report_events set serial = serial - 1000 + $1::int where serial > 1000', [by]);
};

describe('the audit trail', () => {
  it('is whole while nobody touches it, and tells its length and its last hash', async () => {
    const all = await rows();
    expect(all.map(({ serial }) => serial)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await verifyTrail(db)).toEqual({ outcome: 'whole', rows: 6, lastHash: all[5]!.hash.toString('hex') });
    await clearTrail(db);
    await db.query('truncate reports');
    expect(await verifyTrail(db)).toEqual({ outcome: 'whole', rows: 0, lastHash: '0'.repeat(64) });
  });

  it('has rows of ever later moments, each with the hash before it, the first with zeros', async () => {
    const all = await rows();
    expect(all[0]!.prev_hash).toEqual(Buffer.alloc(32));
    for (let i = 1; i < all.length; i++) {
      expect(all[i]!.prev_hash).toEqual(all[i - 1]!.hash);
      expect(all[i]!.at.getTime()).toBeGreaterThan(all[i - 1]!.at.getTime());
    }
  });

  it('is hashed as it is written down that it is', () => {
    const row: EventRow = {
      ...{ serial: 1, report_id: 'rep_1', at: new Date('2026-11-20T10:00:00.005Z'), actor: 'token-1' },
      ...{ action: 'created', outcome: 'done', was: null, became: 'open', note: 'delete "ё"', request_id: 'r-1' },
      content: contentOf({ description: '"ё"', user_info: null, resolver_note: null }),
      prev_hash: Buffer.alloc(32),
    };
    // printf '%s' '[1,"rep_1","2026-11-20T10:00:00.005Z",…,"000…"]' | sha256sum
    expect(hashOf(row).toString('hex')).toBe('b0006a02ca04c6f1ad324b3d689ab2be33e2322df483c4210c24af2753c2cd60');
  });

  it.each(['update report_events set note = null', 'delete from report_events', 'truncate report_events'])(
    'is only ever appended to: not even its owner says `%s` by mistake',
    async (sql) => {
      await expect(db.query(sql)).rejects.toThrow(/only ever appended/);
      expect(await verifyTrail(db)).toMatchObject({ outcome: 'whole', rows: 6 });
    },
  );

  it.each([
    ['note', `'other'`],
    ['note', 'null'],
    ['actor', `'token-reader'`],
    ['became', `'rejected'`],
    ['was', 'null'],
    ['request_id', `'x'`],
    ['at', `at + interval '1 millisecond'`],
    ['outcome', `'refused'`],
    ['action', `'created'`],
    ['report_id', `'rep_x'`],
    ['content', String.raw`'\x00'`],
    ['prev_hash', String.raw`'\x00'`],
    ['hash', String.raw`'\x00'`],
  ])('shows where %s was changed to %s', async (column, value) => {
    await tamper(db, `update report_events set ${column} = ${value} where serial = 3`);
    expect(await verifyTrail(db)).toEqual({ outcome: 'broken', serial: 3, why: 'changed' });
  });

  it.each([1, 2, 4])('shows that row %i is missing', async (serial) => {
    await tamper(db, `delete from report_events where serial = ${serial}`);
    expect(await verifyTrail(db)).toEqual({ outcome: 'broken', serial, why: 'missing' });
  });

  it('shows a row that was taken out where those after it were moved up', async () => {
    await tamper(db, 'delete from report_events where serial = 3');
    await shift(4, -1);
    expect(await verifyTrail(db)).toEqual({ outcome: 'broken', serial: 3, why: 'changed' });
  });

  it('shows a row that was put in between, however well it was made', async () => {
    const all = await rows();
    await shift(4, 1);
    await insert({ ...all[3]!, serial: 4, note: 'mine', prev_hash: all[1]!.hash });
    expect(await verifyTrail(db)).toEqual({ outcome: 'broken', serial: 4, why: 'put in between' });
    await tamper(db, 'delete from report_events where serial = 4');
    await insert({ ...all[3]!, serial: 4, note: 'mine' });
    expect(await verifyTrail(db)).toEqual({ outcome: 'broken', serial: 5, why: 'changed' });
  });

  it('shows a row that was put before the first', async () => {
    await insert({ ...(await rows())[0]!, serial: 0 });
    expect(await verifyTrail(db)).toEqual({ outcome: 'broken', serial: 0, why: 'put in between' });
  });

  it('shows two rows that have changed places', async () => {
    await tamper(
      db,
      'update report_events set serial = case serial when 2 then 103 else 102 end where serial in (2, 3)',
    );
    await tamper(db, 'update report_events set serial = serial - 100 where serial > 100');
    expect(await verifyTrail(db)).toEqual({ outcome: 'broken', serial: 2, why: 'changed' });
  });

  it('shows that its end was cut off, while the report stands as that had made it', async () => {
    await tamper(db, 'delete from report_events where serial = 6');
    const second = (await reports.ofRecord('a:2'))[0]!;
    expect(await verifyTrail(db)).toEqual({ outcome: 'disagrees', report: second.id, why: 'changed' });
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
  ])('shows a report that was changed past it: %s', async (change, why) => {
    await db.query(`update reports set ${change} where id = $1`, [first.id]);
    expect(await verifyTrail(db)).toEqual({ outcome: 'disagrees', report: first.id, why });
  });

  it('shows a report that was removed, and one that was never reported', async () => {
    await db.query('update reports set id = $2 where id = $1', [first.id, 'rep_0']);
    const found = await verifyTrail(db);
    expect([
      { report: first.id, why: 'missing' },
      { report: 'rep_0', why: 'unknown' },
    ]).toContainEqual({
      report: (found as { report: string }).report,
      why: (found as { why: string }).why,
    });
    await db.query(`delete from reports where id = 'rep_0'`);
    expect(await verifyTrail(db)).toEqual({ outcome: 'disagrees', report: first.id, why: 'missing' });
  });

  it('is walked past the first thousand rows, and while others write', async () => {
    const id = first.id;
    const entry = {
      reportId: id,
      actor: 'anna',
      action: 'changed',
      from: 'open',
      to: 'open',
      requestId: null,
      texts: { description: first.description, user_info: first.userInfo, resolver_note: 'again' },
    } as const;
    await db.transaction(async (tx) => {
      await holdTrail(tx);
      for (let i = 0; i < 1100; i++) await append(tx, { ...entry, note: `note ${i}` });
    });
    // Faster than a clock of milliseconds, and still in their order.
    const { rows: moments } = await db.query<{ at: Date }>('select at from report_events order by serial');
    expect(moments.every(({ at }, i) => i === 0 || at > moments[i - 1]!.at)).toBe(true);
    const [verdict] = await Promise.all([
      verifyTrail(db),
      ...Array.from({ length: 40 }, (_, i) => reports.change(id, { actor: 'anna', note: `later ${i}` })),
    ]);
    expect(verdict).toMatchObject({ outcome: 'whole' });
    await tamper(db, `update report_events set note = 'x' where serial = 1050`);
    expect(await verifyTrail(db)).toEqual({ outcome: 'broken', serial: 1050, why: 'changed' });
  });
});
