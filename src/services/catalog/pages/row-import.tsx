import { valuesIn } from '../records/records.ts';
import type { Row } from '../search/found.ts';
import type { Onlooker } from './frame.tsx';
import { Picture } from './row-photo.tsx';
import { visible } from './visible.ts';

/** The values of attributes are searched as the end of the text; they are shown once, by their names. */
const withoutTail = (text: string, tail: string) =>
  (text.endsWith(tail) ? text.slice(0, text.length - tail.length) : text).trim();

/** What somebody has indexed: its text, and its attributes as they came. */
export function RowImport({ row, onlooker }: { row: Row; onlooker: Onlooker }): JSX.Element {
  const { words } = onlooker;
  const attributes = <Attributes row={row} />;
  return (
    <div class={row.image === null ? '' : 'detail'}>
      {row.image === null ? '' : <Picture row={row} onlooker={onlooker} />}
      <section class="panel values" aria-labelledby="text-title">
        <h2 id="text-title" safe>
          {words.text}
        </h2>
        <p class="prose" dir="auto" safe>
          {visible(textOf(row))}
        </p>
        {attributes === '' ? (
          ''
        ) : (
          <>
            <h3 safe>{words.attributes}</h3>
            {attributes}
          </>
        )}
      </section>
    </div>
  );
}

/** The text of a record as it came, without the values of its attributes. */
export const textOf = ({ text, result }: Row): string =>
  withoutTail(text, valuesIn(result['attributes'] ?? {}).join('\n'));

/** The attributes of a record by their names; nothing where it has none. */
export function Attributes({ row }: { row: Row }): JSX.Element {
  const { attributes } = row.result;
  const named = typeof attributes === 'object' && attributes !== null ? Object.entries(attributes) : [];
  if (named.length === 0) return '';
  return (
    <dl class="facts">
      {named.map(([name, value]) => (
        <div>
          <dt dir="auto" safe>
            {visible(name)}
          </dt>
          <dd dir="auto" safe>
            {visible(plainly(value))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A list of plain values as people write one; what is deeper as it came. */
function plainly(value: unknown): string {
  if (typeof value === 'string') return value;
  const flat = Array.isArray(value) && value.every((one) => one !== null && typeof one !== 'object');
  return flat ? value.join(', ') : JSON.stringify(value);
}
