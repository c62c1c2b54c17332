import type { Queryable } from '../../base/db.ts';
import type { Summarize } from '../shared/batches/batch-deps.ts';
import { className } from '../shared/class-names.ts';
import type { Recorded } from './result.ts';

/** The surface with its defects, or with the group of the photo. */
export function summarizePhotos(db: Queryable): Summarize {
  return async (ids, language) => {
    const { rows } = await db.query<{ id: string; result: Recorded }>(RESULTS, [ids]);
    return new Map(rows.map(({ id, result }) => [id, summaryOf(result, language)]));
  };
}

const RESULTS = {
  name: 'defectoscopy-results',
  text: `select id, result from tasks_read_only where id = any($1::text[]) and result is not null`,
};

function summaryOf({ surface, masters, defects }: Recorded, language: 'en' | 'ru'): string {
  const found = defects.length > 0 ? defects : masters.slice(0, 1);
  const names = found.map(({ name }) => className(name, language));
  return [className(surface, language), ...(names.length > 0 ? [names.join(', ')] : [])].join(': ');
}
