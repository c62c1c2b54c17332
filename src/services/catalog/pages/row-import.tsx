import { H2, P } from '../../../ui/text-elements.tsx';
import { attributeValues } from '../records/records.ts';
import type { Row } from '../search/search-types.ts';
import type { Viewer } from './frame.tsx';
import { Picture } from './row-photo.tsx';
import { showInvisible } from './untrusted-text.ts';

/** Attribute values are appended to the searchable text. */
const withoutTail = (text: string, tail: string) =>
  (text.endsWith(tail) ? text.slice(0, text.length - tail.length) : text).trim();

export function RowImport({ row, viewer }: { row: Row; viewer: Viewer }): JSX.Element {
  const { words } = viewer;
  const attributes = <Attributes row={row} />;
  return (
    <div class={row.image === null ? '' : 'detail'}>
      {row.image !== null && <Picture row={row} viewer={viewer} />}
      <section class="panel values" aria-labelledby="text-title">
        <H2 id="text-title" text={words.text} />
        <P class="prose" dir="auto" text={showInvisible(textOf(row))} />
        {attributes !== '' && (
          <>
            <h3 safe>{words.attributes}</h3>
            {attributes}
          </>
        )}
      </section>
    </div>
  );
}

export const textOf = ({ text, result }: Row): string =>
  withoutTail(text, attributeValues(result['attributes'] ?? {}).join('\n'));

export function Attributes({ row }: { row: Row }): JSX.Element {
  const { attributes } = row.result;
  const entries = typeof attributes === 'object' && attributes !== null ? Object.entries(attributes) : [];
  if (entries.length === 0) return '';
  return (
    <dl class="facts">
      {entries.map(([name, value]) => (
        <div>
          <dt dir="auto" safe>
            {showInvisible(name)}
          </dt>
          <dd dir="auto" safe>
            {showInvisible(formatValue(value))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return value;
  const isFlat = Array.isArray(value) && value.every((one) => one !== null && typeof one !== 'object');
  return isFlat ? value.join(', ') : JSON.stringify(value);
}
