import { CLIENT_LIMIT_MS, type Queryable } from '../../base/db.ts';
import { localize } from '../../ui/browser/localize.ts';
import type { Summarize } from '../shared/batches/batch-deps.ts';
import { firstWords } from './records.ts';

/** The first words of each transcript; the database reads them, because a result can have hours of words. */
export function summarizeRecordings(db: Queryable): Summarize {
  return async (ids, language) => {
    const { rows } = await db.query<{ id: string; text: string; warns: boolean }>(BEGINNINGS, [ids]);
    return new Map(
      rows.map(({ id, text, warns }) => [
        id,
        firstWords(text) || texts[language][warns ? 'notRecognized' : 'noSpeech'],
      ]),
    );
  };
}

const texts = localize({
  noSpeech: { en: 'No speech detected', ru: 'Речь не обнаружена' },
  notRecognized: { en: 'Speech not recognized', ru: 'Речь не распознана' },
});

const BEGINNINGS = {
  name: 'stt-beginnings',
  limitMs: CLIENT_LIMIT_MS,
  // Materialized, so that each result is decompressed once.
  text: `
    with beginnings as materialized (
      select id, left(result ->> 'transcription', 400) as text, result -> 'warnings' is not null as warns from tasks_read_only where id = any($1::text[])
    )
    select id, text, warns from beginnings where text is not null`,
};
