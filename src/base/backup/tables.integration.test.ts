import { describe, expect, onTestFinished, test } from 'vitest';
import { testDatabase } from '../../../test/support/database.ts';
import { readMigrations } from '../migration-files.ts';
import { createdObjects, describeTables } from './tables.ts';

describe('createdObjects', () => {
  test('returns exactly the tables and functions that the migrations create', async () => {
    const { db, drop } = await testDatabase();
    onTestFinished(drop);
    await db.query('create table foreign_table (x int)');
    const ours = createdObjects(await readMigrations(new URL('../../../migrations/', import.meta.url)));
    const { rows } = await db.query<{ tables: string[]; functions: string[] }>(
      `select array(select relname::text from pg_class
                     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1) as tables,
              array(select proname::text from pg_proc p
                     where pronamespace = 'public'::regnamespace
                       and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e') order by 1) as functions`,
    );
    expect([...ours.tables, 'foreign_table'].sort()).toEqual([...rows[0]!.tables].sort());
    expect([...ours.functions].sort()).toEqual([...rows[0]!.functions].sort());
    const order = (await describeTables(db, ours.tables)).map(({ name }) => name);
    expect(order.indexOf('tasks')).toBeLessThan(order.indexOf('deliveries'));
  });
});
