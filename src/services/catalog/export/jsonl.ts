import type { Exported } from '../search/found.ts';
import { bodyOf } from './columns.ts';

/** A JSON object a line, in UTF-8. */
export async function* jsonl(records: AsyncIterable<Exported>): AsyncGenerator<Buffer, void, undefined> {
  for await (const record of records) yield Buffer.from(`${JSON.stringify(bodyOf(record))}\n`);
}
