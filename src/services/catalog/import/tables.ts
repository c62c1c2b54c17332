/** What comes as a table, with a header row that names fields. */
export type TableType = 'csv' | 'xlsx';

/** The rows of a table, each as a record would come in JSON; throws {@link InvalidInput} for what is no such table. */
export async function readTable(_type: TableType, _bytes: Buffer, _signal: AbortSignal): Promise<unknown[]> {
  throw new Error('not yet');
}
