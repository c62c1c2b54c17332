import type { Row } from '../search/found.ts';
import type { Onlooker } from './frame.tsx';
import { Attributes, textOf } from './row-import.tsx';
import { Stranger, scored, titleOf } from './said.tsx';
import { firstWords } from './visible.ts';

const TEXT_LENGTH = 300;

/** What a record says, short enough for a queue: mostly a decision needs no more, and the record need not be opened. */
export function QueueRecord({ row, onlooker }: { row: Row; onlooker: Onlooker }): JSX.Element {
  const { language } = onlooker;
  const { service, status, surface, defects, title } = row;
  const photo = service === 'defectoscopy' && status === 'done';
  const seen = photo
    ? [...(surface === null ? [] : [titleOf(surface, language)]), ...defects.map((one) => scored(one, language))]
    : [];
  const text = firstWords(photo ? '' : textOf(row), TEXT_LENGTH);
  return (
    <>
      {seen.length === 0 ? (
        ''
      ) : (
        <p class="record-says">
          <bdi safe>{seen.join(' · ')}</bdi>
        </p>
      )}
      {text === '' || text === title ? (
        ''
      ) : (
        <p class="record-says" dir="auto">
          <Stranger text={text} />
        </p>
      )}
      <Attributes row={row} />
    </>
  );
}
