import type { Row } from '../search/found.ts';
import type { Viewer } from './frame.tsx';
import { Attributes, textOf } from './row-import.tsx';
import { Stranger, scored, titleOf } from './said.tsx';
import { firstWords } from './visible.ts';

const TEXT_LENGTH = 300;

export function QueueRecord({ row, viewer }: { row: Row; viewer: Viewer }): JSX.Element {
  const { language } = viewer;
  const { service, status, surface, defects, title } = row;
  const photo = service === 'defectoscopy' && status === 'done';
  const findings = photo
    ? [...(surface === null ? [] : [titleOf(surface, language)]), ...defects.map((one) => scored(one, language))]
    : [];
  const text = firstWords(photo ? '' : textOf(row), TEXT_LENGTH);
  return (
    <>
      {findings.length === 0 ? (
        ''
      ) : (
        <p class="record-says">
          <bdi safe>{findings.join(' · ')}</bdi>
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
