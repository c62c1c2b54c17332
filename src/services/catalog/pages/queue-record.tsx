import type { Row } from '../search/search-types.ts';
import { classTitle, formatScore, UntrustedParagraph } from './format.tsx';
import type { Viewer } from './frame.tsx';
import { Attributes, textOf } from './row-import.tsx';
import { truncateAtWord } from './untrusted-text.ts';

const TEXT_LENGTH = 300;

export function QueueRecord({ row, viewer }: { row: Row; viewer: Viewer }): JSX.Element {
  const { language } = viewer;
  const { service, status, surface, defects, title } = row;
  const photo = service === 'defectoscopy' && status === 'done';
  const findings = photo
    ? [
        ...(surface === null ? [] : [classTitle(surface, language)]),
        ...defects.map((one) => formatScore(one, language)),
      ]
    : [];
  const text = truncateAtWord(photo ? '' : textOf(row), TEXT_LENGTH);
  return (
    <>
      {findings.length !== 0 && (
        <p class="record-says">
          <bdi safe>{findings.join(' · ')}</bdi>
        </p>
      )}
      {!(text === '' || text === title) && <UntrustedParagraph class="record-says" text={text} />}
      <Attributes row={row} />
    </>
  );
}
