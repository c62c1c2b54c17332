import { extname } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { onOneLine } from '../client-command.ts';
import { writeOutputFile } from '../local-files.ts';
import type { Outcome } from './run-folder.ts';

type Row = Readonly<Record<string, string | number | boolean | null>>;

/** A CSV table, or JSON lines with all of the results. */
export async function writeTable<Result>(
  path: string,
  outcomes: readonly Outcome<Result>[],
  rowOf: (result: Result) => Row,
): Promise<void> {
  if (extname(path).toLowerCase() !== '.csv') {
    const lines = outcomes.map(({ item, task, result, failure }) =>
      JSON.stringify({ file: item.name, task_id: task, ...(failure ? { error: failure } : { result }) }),
    );
    return writeOutputFile(path, `${lines.join('\n')}\n`);
  }
  const rows = outcomes.map(({ item, result, failure }) => ({
    file: item.name,
    ...(result && rowOf(result)),
    error: failure ? `${failure.message} (${failure.code})` : '',
  }));
  const columns = [
    'file',
    ...new Set(rows.flatMap(Object.keys).filter((key) => key !== 'file' && key !== 'error')),
    'error',
  ];
  await writeOutputFile(path, stringify(rows, { header: true, columns, bom: true, escape_formulas: true }));
}

/** Prints failures and the number of items; sets the exit status. */
export function report(outcomes: readonly Outcome<unknown>[], output: string): void {
  const failed = outcomes.filter(({ failure }) => failure);
  for (const { item, failure } of failed)
    console.error(onOneLine(`${item.name}: ${failure!.message} (${failure!.code})`));
  const again = failed.length > 0 ? `, ${failed.length} failed; run the same command again to retry them` : '';
  console.log(`${outcomes.length - failed.length} done${again}: ${output}`);
  if (failed.length > 0) process.exitCode = 1;
}
