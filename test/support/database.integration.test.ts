import { expect, test } from 'vitest';
import { testDatabase } from './database.ts';

test('testDatabase returns a separate database with the whole schema for every caller', async () => {
  const [mine, yours] = await Promise.all([testDatabase(), testDatabase()]);
  await mine.db.query('create table only_mine (n int)');
  const sql = `select to_regclass('only_mine') as mine, to_regclass('schema_migrations') as migrated`;
  expect((await yours.db.query(sql)).rows).toEqual([{ mine: null, migrated: 'schema_migrations' }]);
  await Promise.all([mine.drop(), yours.drop()]);
  await expect(mine.db.query('select 1')).rejects.toThrow();
});
