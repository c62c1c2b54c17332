import { once } from 'node:events';
import { type Duplex, Readable } from 'node:stream';

// `pg` speaks COPY on the wire but offers no call for it. It lets anything be queried that can `submit` itself, and that
// is what these two are.

/** What of a connection of `pg` they use; its types leave out the half that is about COPY. */
interface Wire {
  readonly stream: Duplex;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

interface Client {
  query(question: { submit(wire: never): void }): unknown;
}

/**
 * Hands everything that `copy … to stdout` sends to `take`, a row or several at a time, and answers how many rows there
 * were. The server waits while `take` does, so any table passes through little memory.
 */
export async function copyOut(client: Client, sql: string, take: (rows: Buffer) => Promise<void>): Promise<number> {
  const question = new CopyOut(sql);
  client.query(question);
  for await (const rows of question.rows) await take(rows as Buffer);
  return question.count;
}

/** Feeds `rows` to `copy … from stdin` and answers how many the table took. What `rows` throws undoes the statement. */
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

/** As long as a table takes. A connection that dies is noticed all the same; timers know no more than 24 days. */
const NO_LIMIT_MS = 2 ** 31 - 1;
const PIECE_BYTES = 1024 * 1024;

/** What `pg` calls on a question. It wraps `callback` to stop its own clock, so the end is always told through that. */
abstract class Question {
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

class CopyOut extends Question {
  readonly rows: Readable = new Readable({
    highWaterMark: PIECE_BYTES,
    read: () => void this.wire?.stream.resume(),
    // Given up half way: the rest of the table would still come, and only a connection that ends keeps it away.
    destroy: (error, done) => {
      if (!this.over) this.wire?.stream.destroy();
      done(error);
    },
  });
  over = false;

  override callback = (error?: Error): void => {
    this.over = true;
    // The end may come with the very rows that were too many at once; the connection is for others then, too.
    this.wire?.stream.resume();
    if (error) this.rows.destroy(error);
    else this.rows.push(null);
  };

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    // A copy, since `pg` reads the next message into the same memory.
    if (!this.rows.push(Buffer.from(chunk))) this.wire?.stream.pause();
  }
}

class CopyIn extends Question {
  readonly rows: AsyncIterable<Buffer>;
  readonly end: (error: Error | undefined, count: number) => void;
  readonly over = new AbortController();
  fault: Error | undefined;

  constructor(sql: string, rows: AsyncIterable<Buffer>, end: (error: Error | undefined, count: number) => void) {
    super(sql);
    this.rows = rows;
    this.end = end;
  }

  override callback = (error?: Error): void => {
    this.over.abort();
    this.end(this.fault ?? error, this.count);
  };

  handleCopyInResponse(wire: Wire): void {
    this.feed(wire).then(
      () => this.over.signal.aborted || wire.endCopyFrom(),
      (error: Error) => {
        if (this.over.signal.aborted) return; // the server has ended it, and said why
        this.fault = error;
        wire.sendCopyFail('the rows have ended before their time');
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
