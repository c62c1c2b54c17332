import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../../test/support/database.ts';
import { createFacetCombinations } from './facet-combinations.ts';
import { createSearch } from './search.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

/** Each record has a tag of its own. */
const insert = (from: number, to: number) =>
  database.db.query(
    `with record as (
       insert into catalog_records (created_at, record_id, service, status, title, search, project, tags)
       select now() - make_interval(secs => i), 'r' || i, 'import', 'done', 't', '', 'p' || i % 10, array['tag-' || i]
         from generate_series($1::integer, $2::integer) i returning number),
     texts as (insert into catalog_texts (number, text) select number, 'x' from record)
     insert into catalog_details (number, result) select number, '{}' from record`,
    [from, to],
  );

it('the number of documents is that of the visible records', async () => {
  const { db } = database;
  const search = createSearch(db);
  expect(await search.state()).toMatchObject({ documents: 0 });
  await insert(101, 106);
  await db.query(`update catalog_records set hidden = true where record_id = 'r101'`);
  await db.query(`update catalog_records set project = 'other' where record_id = 'r102'`);
  await db.query(`delete from catalog_records where record_id = 'r103'`);
  expect(await search.state()).toMatchObject({ documents: 4 });
  await db.query('delete from catalog_records');
});

it('combinations of facets are read again when others have replaced them in the cache', async () => {
  const { db } = database;
  await insert(1, 4);
  const { rows } = await db.query<{ id: number; tags: string[] }>(
    'select id, tags from catalog_facet_combinations order by id desc limit 4',
  );
  const combinations = createFacetCombinations(2);
  for (const first of [0, 1, 2, 0]) {
    const some = rows.slice(first, first + 2);
    const found = await combinations.load(
      db,
      some.map(({ id }) => id),
    );
    expect(some.map(({ id }) => found.get(id)!.tags)).toEqual(some.map(({ tags }) => tags));
    expect(found.size).toBe(2);
  }
});

it('facets of more than 10 000 combinations count the most frequent ones, and the total counts all', {
  tags: ['full'],
}, async () => {
  await database.db.query('delete from catalog_records');
  await insert(1, 10_050);
  const search = createSearch(database.db);
  const page = { sort: 'newest', page: 1, limit: 1, facets: true } as const;
  const all = await search.find({}, page);
  expect(all).toMatchObject({ total: 10_050, more: false, facetsComplete: false });
  expect(all.facets!.service).toEqual([{ value: 'import', count: 1000, more: true }]);
  expect(all.facets!.tag).toHaveLength(100);
  const some = await search.find({ project: ['p7'] }, page);
  expect(some).toMatchObject({ total: 1005, more: false, facetsComplete: false });
  expect((await search.find({ excluded: { tag: ['tag-1'] } }, page)).total).toBe(10_049);
  expect(await search.find({ tag: ['tag-1'] }, page)).toMatchObject({ total: 1 });
});
