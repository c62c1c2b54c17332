import type { Queryable } from '../../base/db.ts';
import { createNumberFormats } from '../../ui/browser/number-formats.ts';
import type { Summarize } from '../shared/batches/batch-deps.ts';
import { className } from '../shared/class-names.ts';
import { texts } from './browser/texts.ts';
import type { Recorded } from './result.ts';

/** The surface with its defects and their confidences. */
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

function summaryOf({ surface, defects, regions = [] }: Recorded, language: 'en' | 'ru'): string {
  const { wholeShare } = createNumberFormats(language);
  const { onlyRegions, sound } = texts[language];
  const found = defects.map(({ name, conf }) => `${className(name, language)} ${wholeShare(conf)}`);
  const none = regions.length > 0 ? onlyRegions : sound;
  const summary = `${className(surface, language)}: ${found.join(', ') || none.charAt(0).toLowerCase() + none.slice(1)}`;
  return summary.charAt(0).toUpperCase() + summary.slice(1);
}
