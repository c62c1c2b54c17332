import { type FileHandle, open, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { OperatorError } from '../../base/operator-error.ts';
import type { TaskHandle } from '../../client/index.ts';
import type { Item } from './find-items.ts';

export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** What a repeated request has in common with the first one. */
export interface TaskRequest {
  /** The idempotency key. */
  readonly key: string;
  /** Of the uploaded file. */
  readonly url?: string;
}

/** How far an item has come: its task was requested, was accepted, has ended, or was refused. */
export interface Progress<Result> extends Omit<TaskHandle, 'task_id'> {
  /** Recorded before it is sent. */
  readonly request?: TaskRequest;
  readonly task?: string;
  readonly result?: Result;
  readonly failure?: Failure;
}

type Line<Result> = Progress<Result> & Pick<Item, 'name' | 'version'>;

/**
 * Remembers which items are done, so that a repeated command goes on where the last one stopped. A file of JSON lines; the
 * last line of an item counts. An item whose files or options have changed starts again.
 */
export class Manifest<Result> {
  readonly #handle: FileHandle;
  readonly #lines = new Map<string, Line<Result>>();
  /** The names and files of the items that have ever had a result. */
  readonly #written = new Set<string>();
  /** One line after the other: a large one takes several writes. */
  #lastWrite = Promise.resolve();

  private constructor(handle: FileHandle, lines: readonly Line<Result>[]) {
    this.#handle = handle;
    for (const line of lines) this.#add(line);
  }

  static async open<Result>(path: string): Promise<Manifest<Result>> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw new OperatorError(`${path} cannot be read (${error.code}).`);
    });
    const lines = text.split('\n').flatMap((line) => parseLine<Result>(line) ?? []);
    const handle = await open(path, 'a').catch((error: NodeJS.ErrnoException) => {
      throw new OperatorError(`${path} cannot be written (${error.code}).`);
    });
    // The last line may be incomplete.
    if (text !== '' && !text.endsWith('\n')) await handle.appendFile('\n');
    return new Manifest(handle, lines);
  }

  /** Undefined for a new or changed item. */
  progressOf({ name, version }: Item): Progress<Result> | undefined {
    const line = this.#lines.get(name);
    return line?.version === version ? line : undefined;
  }

  /**
   * Whether this command may have written `file` for an item: it had a result, also before it changed or under another name, or
   * its task was interrupted.
   */
  mayHaveWritten({ name }: Item, file: string): boolean {
    const line = this.#lines.get(name);
    const isInterrupted = line !== undefined && line.result === undefined && line.failure === undefined;
    return isInterrupted || this.#written.has(name) || this.#written.has(resolve(file));
  }

  async record({ name, version }: Item, progress: Progress<Result>): Promise<void> {
    const line = { name, version, ...progress };
    this.#add(line);
    this.#lastWrite = this.#lastWrite.then(() => this.#handle.appendFile(`${JSON.stringify(line)}\n`));
    await this.#lastWrite;
  }

  #add(line: Line<Result>): void {
    this.#lines.set(line.name, line);
    if (line.result === undefined) return;
    this.#written.add(line.name);
    const output = (line.result as { readonly output?: unknown } | null)?.output;
    if (typeof output === 'string') this.#written.add(resolve(output));
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

function parseLine<Result>(line: string): Line<Result> | undefined {
  try {
    const parsed = JSON.parse(line) as Partial<Line<Result>> | null;
    const isLine = typeof parsed?.name === 'string' && typeof parsed.version === 'string';
    return isLine ? (parsed as Line<Result>) : undefined;
  } catch {
    return undefined;
  }
}
