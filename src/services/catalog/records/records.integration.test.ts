import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { finishTasks } from '../../../../test/support/catalog-tasks.ts';
import { type TestDatabase, testDatabase } from '../../../../test/support/database.ts';
import { createFolderFiles, type Files } from '../../../base/files.ts';
import { createLog } from '../../../base/log.ts';
import { createPostgresTaskStore } from '../../../tasks/postgres.ts';
import type { RecordSource } from '../../shared/records.ts';
import { createIndexer } from './feed.ts';
import { runRebuildStep } from './rebuild.ts';
import { createRecords, type Records } from './records.ts';
import { deleteUnreadableFeedRows } from './retention.ts';
import { setSources } from './sources.ts';

let database: TestDatabase;
let dir: string;
let files: Files;
let records: Records;
const log = createLog('silent', 'test');
const { signal } = new AbortController();

beforeEach(async () => {
  database = await testDatabase();
  dir = await mkdtemp(join(tmpdir(), 'assay-records-'));
  files = createFolderFiles({ dir });
  records = createRecords({ db: database.db, files, log });
});
afterEach(async () => {
  await database.drop();
  await rm(dir, { recursive: true, force: true });
});

const rows = async () =>
  (
    await database.db.query<Record<string, unknown>>(
      'select * from catalog_records join catalog_texts using (number) join catalog_details using (number) order by number',
    )
  ).rows;
const foundBy = async (word: string) =>
  (
    await database.db.query<{ record_id: string }>(
      `select record_id from catalog_records where search @@ to_tsquery('russian', $1) order by number`,
      [word],
    )
  ).rows.map((row) => row.record_id);
const count = async (table: string) => (await database.db.query(`select from ${table}`)).rowCount;

/** Stores a picture for the record and returns its key. */
async function picture(recordId: string): Promise<string> {
  const { key } = await files.put(Buffer.from(recordId), { maxBytes: 100 });
  await database.db.query(
    'update catalog_records set picture_key = $2, picture_width = 1, picture_height = 1 where record_id = $1',
    [recordId, key],
  );
  await database.db.query('delete from catalog_picture_jobs');
  return key;
}

describe('imported records', () => {
  it('are found by title, text and the values of their attributes', async () => {
    await records.import([
      {
        recordId: 'a',
        title: 'Мост 7',
        text: 'third beam',
        attributes: { road: 'М-4', parts: [{ name: 'опора' }], km: 12 },
      },
      { recordId: 'b' },
    ]);
    const [a, b] = await rows();
    expect(a).toMatchObject({ record_id: 'a', service: 'import', task_id: null, status: 'done', title: 'Мост 7' });
    expect(a!['result']).toEqual({ attributes: { road: 'М-4', parts: [{ name: 'опора' }], km: 12 } });
    expect(a!['text']).toBe('third beam\nМ-4\nопора\n12');
    // The id is the default title.
    expect(b).toMatchObject({ title: 'b', text: '', result: { attributes: {} } });
    for (const word of ['мост', 'beam', 'опоры', '12']) expect(await foundBy(word)).toEqual(['a']);
  });

  it('replace records with the same id, which keep their number and, without a new date, their date', async () => {
    const createdAt = new Date('2020-01-02T03:04:05.678Z');
    await records.import([{ recordId: 'a', title: 'old', createdAt }, { recordId: 'b' }]);
    const [before] = await rows();
    await records.import([{ recordId: 'c' }, { recordId: 'a', title: 'new' }]);
    const [after, , last] = await rows();
    expect(after).toMatchObject({ record_id: 'a', title: 'new', number: before!['number'], created_at: createdAt });
    expect(last).toMatchObject({ record_id: 'c' });
    expect(await foundBy('old')).toEqual([]);
    const moved = new Date('2021-01-01T00:00:00.000Z');
    await records.import([{ recordId: 'a', createdAt: moved }]);
    expect((await rows())[0]).toMatchObject({ created_at: moved });
  });

  it('are numbered in the order in which they become visible, also with concurrent imports', async () => {
    await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        records.import(Array.from({ length: 20 }, (_, j) => ({ recordId: `${i}-${j}`, text: `слово${j} word${i}` }))),
      ),
    );
    const ids = (await rows()).map((row) => row['record_id'] as string);
    expect(ids).toHaveLength(100);
    // Numbers of one import are contiguous.
    for (let i = 0; i < 100; i += 20) expect(new Set(ids.slice(i, i + 20).map((id) => id[0])).size).toBe(1);
  });

  it('request a picture once, and again only when its URL changes', async () => {
    const one = { recordId: 'a', imageUrl: 'https://example.com/one.jpg' };
    await records.import([one]);
    expect(await count('catalog_picture_jobs')).toBe(1);
    const key = await picture('a');
    await records.import([{ ...one, title: 'other' }]);
    expect(await count('catalog_picture_jobs')).toBe(0);
    expect((await rows())[0]).toMatchObject({ picture_key: key, picture_width: 1 });
    await records.import([{ ...one, imageUrl: 'https://example.com/two.jpg' }]);
    expect(await count('catalog_picture_jobs')).toBe(1);
    // The old picture and its file are deleted.
    expect((await rows())[0]).toMatchObject({ picture_key: null, picture_width: null });
    expect(await files.get(key)).toBeUndefined();
    await records.import([{ recordId: 'a' }]);
    expect(await count('catalog_picture_jobs')).toBe(0);
  });

  it('are hidden when an accepted report for their id exists', async () => {
    await database.db.query(
      `insert into reports (id, record_id, action_type, status, reporter, receipt, resolved_at)
       values ('rep_1', 'a', 'hide', 'accepted', 'r', '', now())`,
    );
    await records.import([{ recordId: 'a' }, { recordId: 'b' }]);
    expect((await rows()).map((row) => row['hidden'])).toEqual([true, false]);
  });
});

describe('an index rebuild', () => {
  const source: RecordSource = {
    service: 'photos',
    title: 'Photos',
    drafts: async (_db, ended) =>
      ended.map((task) => ({
        taskId: task.id,
        status: 'done',
        createdAt: task.queuedAt,
        title: 'new',
        text: '',
        result: {},
      })),
  };

  it('feeds readable tasks again and reindexes all records from their stored text', async () => {
    const tasks = createPostgresTaskStore(database.db);
    await setSources(database.db, ['photos']);
    const [readable] = await finishTasks(tasks, 'photos', [{}]);
    tasks.close();
    await records.import(Array.from({ length: 150 }, (_, i) => ({ recordId: `r${i}`, text: 'Трещина в стене' })));
    // As if an older version had indexed the records.
    await database.db.query(`update catalog_records set search = ''`);
    await database.db.query('delete from catalog_words');
    await database.db.query('delete from catalog_feed');
    await records.requestRebuild();
    expect(await count('catalog_rebuild')).toBe(1);
    let steps = 0;
    while (await runRebuildStep(database.db)) steps++;
    expect(steps).toBeGreaterThan(2);
    expect(await count('catalog_rebuild')).toBe(0);
    expect(await foundBy('трещины')).toHaveLength(150);
    expect(await count('catalog_words')).toBeGreaterThan(2);
    await createIndexer({ db: database.db, sources: [source], log }).indexBatch();
    expect((await rows()).at(-1)).toMatchObject({ record_id: `photos:${readable}`, title: 'new' });
  });

  it('restarts when it is requested again', async () => {
    await records.import(Array.from({ length: 150 }, (_, i) => ({ recordId: `r${i}` })));
    await records.requestRebuild();
    await runRebuildStep(database.db);
    await runRebuildStep(database.db);
    await records.requestRebuild();
    const { rows: state } = await database.db.query('select feed_filled, last_number from catalog_rebuild');
    expect(state).toEqual([{ feed_filled: false, last_number: 0 }]);
  });
});

describe('cleanup', () => {
  const indexed = (days: number, recordIds: string) =>
    database.db.query(
      'update catalog_records set indexed_at = now() - make_interval(days => $1) where record_id like $2',
      [days, recordIds],
    );

  it('deletes records past their retention with their pictures', async () => {
    const many = Array.from({ length: 600 }, (_, i) => ({ recordId: `old-${i}` }));
    await records.import([...many, { recordId: 'young' }, { recordId: 'old' }]);
    await indexed(31, 'old%');
    await indexed(29, 'young');
    await database.db.query(`update catalog_records set hidden = true where record_id = 'old'`);
    const keys = [await picture('old-0'), await picture('young')] as const;
    await records.cleanup(signal, { retentionDays: 30 });
    expect((await rows()).map((row) => row['record_id'])).toEqual(['young']);
    expect(await files.get(keys[0])).toBeUndefined();
    expect(await files.get(keys[1])).toBeDefined();
    expect(await count('catalog_files_to_delete')).toBe(0);
  });

  it('applies the retention to the time of import, not to the date of the record', async () => {
    await records.import([{ recordId: 'a', createdAt: new Date('2001-01-01') }]);
    await records.cleanup(signal, { retentionDays: 30 });
    expect((await rows()).map((row) => row['record_id'])).toEqual(['a']);
  });

  it('deletes words that only deleted records contained', async () => {
    await records.import([
      { recordId: 'old', text: 'Ивановский и трещины' },
      { recordId: 'young', text: 'трещина и скол' },
    ]);
    await indexed(31, 'old');
    await records.cleanup(signal, { retentionDays: 30 });
    const { rows: left } = await database.db.query<{ word: string }>('select word from catalog_words order by word');
    // Both forms of a word that the remaining record contains, and stop words.
    expect(left.map((row) => row.word)).toEqual(['young', 'и', 'скол', 'трещина', 'трещины']);
  });

  it('deletes facet combinations that no record has any more', async () => {
    await database.db.query('delete from catalog_records');
    const many = Array.from({ length: 600 }, (_, i) => ({ recordId: `once-${i}`, tags: [`tag ${i}`] }));
    await records.import([...many, { recordId: 'kept', tags: ['kept'] }, { recordId: 'hidden', tags: ['hidden'] }]);
    await database.db.query(`update catalog_records set hidden = true where record_id = 'hidden'`);
    await indexed(31, 'once-%');
    await records.cleanup(signal, { retentionDays: 30 });
    const { rows: left } = await database.db.query<{ tags: string[] }>(
      'select tags from catalog_facet_combinations order by tags',
    );
    expect(left.map(({ tags }) => tags)).toEqual([['hidden'], ['kept']]);
    await records.import([{ recordId: 'again', tags: ['tag 1'] }]);
    expect(await count('catalog_facet_combinations')).toBe(3);
  });

  it('deletes unreadable tasks from the feed but keeps deletions', async () => {
    await database.db.query(
      `insert into catalog_feed (service, task_id, deleted, at)
       values ('photos', 'lost', false, now() - interval '2 hours'), ('photos', 'deleted', true, now() - interval '2 hours'),
              ('photos', 'fresh', false, now())`,
    );
    await deleteUnreadableFeedRows(database.db, signal);
    const { rows: left } = await database.db.query<{ task_id: string }>(
      'select task_id from catalog_feed order by serial',
    );
    expect(left.map((row) => row.task_id)).toEqual(['deleted', 'fresh']);
  });
});
