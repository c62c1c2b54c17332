import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from, to } from 'pg-copy-streams';

const BUFFER_BYTES = 1024 * 1024;

/** Passes the output of `copy … to stdout` to `take` in chunks, with backpressure. Returns the number of rows. */
export async function copyOut(client: PoolClient, sql: string, take: (rows: Buffer) => Promise<void>): Promise<number> {
  const rows = client.query(to(sql, { highWaterMark: BUFFER_BYTES }));
  // A lost connection emits an error even after the loop has ended.
  rows.on('error', () => {});
  for await (const chunk of rows as AsyncIterable<Buffer>) {
    await take(chunk).catch((error) => {
      // Only closing the connection stops the server from sending the rest of the table.
      streamOf(client).destroy();
      throw error;
    });
  }
  await client.query(''); // the number of rows follows the rows
  return rows.rowCount;
}

/** Sends `rows` to `copy … from stdin`. Returns the number of rows; an error of `rows` aborts the statement. */
export async function copyIn(client: PoolClient, sql: string, rows: AsyncIterable<Buffer>): Promise<number> {
  const target = client.query(from(sql));
  await pipeline(rows, target);
  return target.rowCount;
}

/** Missing in the types of `pg`. */
const streamOf = (client: PoolClient) =>
  (client as PoolClient & { readonly connection: { readonly stream: { destroy(): void } } }).connection.stream;
