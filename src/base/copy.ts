import { once } from 'node:events';
import { type Duplex, Readable } from 'node:stream';

// `pg` implements the COPY protocol but has no public call for it. Its `query` accepts any object with `submit`.

/** Missing in the types of `pg`. */
interface Wire {
  readonly stream: Duplex;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

interface Client {
  query(query: { submit(wire: never): void }): unknown;
}

/** Passes the output of `copy … to stdout` to `take` in chunks, with backpressure. Returns the number of rows. */
export async function copyOut(client: Client, sql: string, take: (rows: Buffer) => Promise<void>): Promise<number> {
  const query = new CopyOut(sql);
  client.query(query);
  for await (const rows of query.rows) await take(rows as Buffer);
  return query.count;
}

/** Sends `rows` to `copy … from stdin`. Returns the number of rows; an error of `rows` aborts the statement. */
export function copyIn(client: Client, sql: string, rows: AsyncIterable<Buffer>): Promise<number> {
  return new Promise((resolve, reject) => {
    client.query(
      new CopyIn(sql, rows, (error, count) => {
        if (error) reject(error);
        else resolve(count);
      }),
    );
  });
}

/** The maximum of a timer (24 days). A lost connection ends the query independently. */
const NO_LIMIT_MS = 2 ** 31 - 1;
const PIECE_BYTES = 1024 * 1024;

/** The interface that `pg` calls on a query. It wraps `callback` to stop its timer, so every end must call it. */
abstract class CopyQuery {
  readonly query_timeout = NO_LIMIT_MS;
  readonly sql: string;
  wire: Wire | undefined;
  count = 0;
  abstract callback: (error?: Error) => void;

  constructor(sql: string) {
    this.sql = sql;
  }

  submit(wire: Wire): void {
    this.wire = wire;
    wire.query(this.sql);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.count = Number(/^COPY (\d+)$/.exec(text)?.[1] ?? 0);
  }

  handleReadyForQuery(): void {
    this.callback();
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
}

class CopyOut extends CopyQuery {
  readonly rows: Readable = new Readable({
    highWaterMark: PIECE_BYTES,
    read: () => void this.wire?.stream.resume(),
    // Only closing the connection stops the server from sending the rest of the table.
    destroy: (error, done) => {
      if (!this.over) this.wire?.stream.destroy();
      done(error);
    },
  });
  over = false;

  override callback = (error?: Error): void => {
    this.over = true;
    // The last rows may have paused the stream, and the connection is reused.
    this.wire?.stream.resume();
    if (error) this.rows.destroy(error);
    else this.rows.push(null);
  };

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    // Copied because `pg` reuses the buffer for the next message.
    if (!this.rows.push(Buffer.from(chunk))) this.wire?.stream.pause();
  }
}

class CopyIn extends CopyQuery {
  readonly rows: AsyncIterable<Buffer>;
  readonly end: (error: Error | undefined, count: number) => void;
  readonly over = new AbortController();
  failure: Error | undefined;

  constructor(sql: string, rows: AsyncIterable<Buffer>, end: (error: Error | undefined, count: number) => void) {
    super(sql);
    this.rows = rows;
    this.end = end;
  }

  override callback = (error?: Error): void => {
    this.over.abort();
    this.end(this.failure ?? error, this.count);
  };

  handleCopyInResponse(wire: Wire): void {
    this.feed(wire).then(
      () => this.over.signal.aborted || wire.endCopyFrom(),
      (error: Error) => {
        if (this.over.signal.aborted) return; // the server has already reported an error
        this.failure = error;
        wire.sendCopyFail('the source of the rows failed');
      },
    );
  }

  async feed(wire: Wire): Promise<void> {
    for await (const piece of this.rows) {
      const { signal } = this.over;
      if (signal.aborted) return;
      wire.sendCopyFromChunk(piece);
      if (wire.stream.writableNeedDrain) await once(wire.stream, 'drain', { signal });
    }
  }
}
