import { extname } from 'node:path';
import {
  type ItemResult,
  itemColumns,
  RESULT_FORMATS,
  type ResultTable,
} from '../../services/shared/batches/results.ts';
import { writeOutputFile } from '../local-files.ts';
import { onOneLine } from '../terminal.ts';
import type { Outcome } from './run-folder.ts';

/** A CSV table with the columns of the results of a batch, or JSON lines with all of the results. */
export async function writeTable<Result>(
  path: string,
  outcomes: readonly Outcome<Result>[],
  { columns, cells }: ResultTable,
): Promise<void> {
  if (extname(path).toLowerCase() !== '.csv') {
    const lines = outcomes.map(({ item, task, result, failure }) =>
      JSON.stringify({ file: item.title, task_id: task, ...(failure ? { error: failure } : { result }) }),
    );
    return writeOutputFile(path, `${lines.join('\n')}\n`);
  }
  const chunks: Buffer[] = [];
  const header = { ofItem: itemColumns(true), ofResult: columns };
  for await (const chunk of RESULT_FORMATS.csv.bytes(() => itemResults(outcomes), header, cells)) chunks.push(chunk);
  await writeOutputFile(path, Buffer.concat(chunks));
}

async function* itemResults(outcomes: readonly Outcome<unknown>[]): AsyncGenerator<ItemResult, void, undefined> {
  for (const [index, { item, task, result, failure }] of outcomes.entries()) {
    yield {
      item: {
        position: index + 1,
        task_id: task ?? '',
        name: item.title,
        status: failure ? 'failed' : 'done',
        error: failure?.message ?? null,
        error_code: failure?.code ?? null,
      },
      body: result === undefined ? undefined : JSON.stringify({ data: { result } }),
    };
  }
}

/** Prints failures and the number of items; sets the exit status. */
export function report(outcomes: readonly Outcome<unknown>[], output: string): void {
  const failed = outcomes.filter(({ failure }) => failure);
  for (const { item, failure } of failed)
    console.error(onOneLine(`${item.name}: ${failure!.message} (${failure!.code})`));
  const again = failed.length > 0 ? `, ${failed.length} failed; fix the causes and run the same command again` : '';
  console.log(`${outcomes.length - failed.length} done${again}: ${output}`);
  if (failed.length > 0) process.exitCode = 1;
}
