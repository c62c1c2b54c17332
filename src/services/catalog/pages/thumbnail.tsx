import { getOwnProperty } from '../../../base/own-property.ts';
import { AudioIcon } from '../../../ui/dropzone.tsx';
import type { Hit } from '../search/search-types.ts';
import { summaryLine, UntrustedText } from './format.tsx';
import type { Viewer } from './frame.tsx';
import { truncateAtWord } from './untrusted-text.ts';

const WIDTH_PX = 320;

export function Thumbnail({ hit, root, viewer }: { hit: Hit; root: string; viewer: Viewer }): JSX.Element {
  const { words } = viewer;
  const { recordId, image, status, service } = hit;
  if (image !== null) {
    const height = Math.max(1, Math.round((WIDTH_PX * image.height) / image.width));
    const address = `${root}image/${encodeURIComponent(recordId)}?w=${WIDTH_PX}`;
    return <img class="tile" src={address} width={WIDTH_PX} height={height} loading="lazy" decoding="async" alt="" />;
  }
  const failed = status === 'failed';
  const line = hit.fields === undefined ? summaryLine(hit, viewer) : '';
  const kind = failed ? 'failed' : service;
  return (
    <span class="tile placeholder" data-kind={failed ? 'failed' : ICONS.has(service) ? service : 'import'}>
      <svg viewBox="0 0 48 48" width="40" height="40" aria-hidden="true">
        {failed ? <FailedIcon /> : kind === 'stt' ? <AudioIcon /> : kind === 'passports' ? <SheetIcon /> : <TextIcon />}
      </svg>
      <span class="tile-text">
        {line === '' || kind === 'defectoscopy' ? (
          <span safe>
            {failed ? words.failed : (getOwnProperty(words.noPicture, service) ?? words.noPicture['import']!)}
          </span>
        ) : (
          <UntrustedText text={truncateAtWord(line, 90)} />
        )}
      </span>
    </span>
  );
}

const ICONS = new Set(['stt', 'passports', 'defectoscopy']);

const SheetIcon = (): JSX.Element => (
  <>
    <path d="M12 5h17l8 8v30H12z" />
    <path d="M29 5v8h8M18 21h13M18 28h13M18 35h8" />
  </>
);

const TextIcon = (): JSX.Element => <path d="M8 14h32M8 22h32M8 30h32M8 38h18" />;

const FailedIcon = (): JSX.Element => (
  <>
    <circle cx="24" cy="24" r="18" />
    <path d="M24 14v13M24 33.5v.5" />
  </>
);
