import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../../test/support/database.ts';
import type { Db } from '../../../base/db.ts';
import { createFolderFiles, type Files } from '../../../base/files.ts';
import type { JsonValue } from '../../../base/json.ts';
import { createLog } from '../../../base/log.ts';
import { sleep } from '../../../base/loop.ts';
import { createPostgresTaskStore } from '../../../tasks/postgres.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import { FAILURES } from '../../../tasks/task.ts';
import type { Caller, CompletedDocument, Document } from '../documents.ts';
import type { Extraction } from '../extraction.ts';
import { ERROR_TYPES, type ErrorType, failure } from '../failures.ts';
import { postgresPictures } from './pictures.ts';
import { postgresDocumentStore } from './postgres.ts';
import { STATUS_CONDITION, statusOf, statusParams } from './status.ts';

const log = createLog('silent', 'test');
const anna: Caller = { session: 'anna' };
const boris: Caller = { session: 'boris' };
const clerk: Caller = { session: 'key:clerk', key: 'clerk', role: 'admin' };
const other: Caller = { session: 'key:other', key: 'other' };

let database: TestDatabase;
let db: Db;
let tasks: TaskStore & { close(): void };
let files: Files;
let dir: string;
let documents: ReturnType<typeof openDocuments>;

const openDocuments = ({ strictOwnership = false, quotaBytes = 2 ** 40 } = {}) =>
  postgresDocumentStore({ db, tasks, files, log, strictOwnership, imageTtlSeconds: 86_400, quotaBytes });

beforeAll(async () => {
  database = await testDatabase();
  db = database.db;
  dir = await mkdtemp(join(tmpdir(), 'assay-documents-'));
  files = createFolderFiles({ dir });
  tasks = createPostgresTaskStore(db);
  documents = openDocuments();
});
afterEach(async () => {
  await db.query('truncate tasks, passport_files, passport_files_to_delete, passport_images cascade');
  await db.query('truncate passport_events, passport_event_counts, passport_bytes');
});
afterAll(async () => {
  tasks.close();
  await database.drop();
  await rm(dir, { recursive: true, force: true });
});

const stored = async (text = 'bytes') => (await files.put(Buffer.from(text), { maxBytes: 1000 })).key;
const exists = async (key: string) => (await files.get(key)) !== undefined;

let contents = 0;
const upload = async (caller: Caller, overrides: { filename?: string; cacheKey?: string } = {}): Promise<Document> => {
  const [document] = await documents.create(caller, [
    { filename: 'a.pdf', fileKey: await stored(), sizeBytes: 5, cacheKey: `content-${++contents}`, ...overrides },
  ]);
  return document!;
};

/** Claims the oldest task like a worker. */
const claim = async (worker = 'w1') => {
  const { claimed } = await tasks.completeAndClaim([], { service: 'passports', worker, limit: 1, leaseMs: 60_000 });
  return claimed[0]!;
};
const claimNothing = (worker = 'w1') => ({ service: 'passports', worker, limit: 0, leaseMs: 60_000 });
const endWith = async (id: string, result: Extraction) => {
  const { attempt } = await claim();
  const outcome = { outcome: 'done', result: result as unknown as JsonValue, processingMs: 7 } as const;
  expect((await tasks.completeAndClaim([{ id, attempt, ...outcome }], claimNothing())).ended).toEqual([id]);
};
const failWith = async (id: string, code: ErrorType) => {
  const { attempt } = await claim();
  await tasks.completeAndClaim(
    [{ id, attempt, outcome: 'failed', failure: failure(code), processingMs: 7 }],
    claimNothing(),
  );
};
const finished = async (caller: Caller, overrides: Parameters<typeof upload>[1] = {}, result = extraction()) => {
  const document = await upload(caller, overrides);
  if (document.status === 'PENDING') await endWith(document.id, result);
  return document.id;
};
const opened = async (caller: Caller, id: string) => (await documents.findWithResult(caller, id)) as CompletedDocument;
const makeOlder = (id: string, days: number) =>
  db.query('update passport_documents set created_at = created_at - make_interval(days => $2) where id = $1', [
    id,
    days,
  ]);

function extraction(overrides: Partial<Extraction> = {}): Extraction {
  const field = { confidence: 0.9, source: 'text', page: 1, bbox: [0, 0, 0.5, 0.1], text: 'x' } as const;
  return {
    schema: { id: 'technical_passport', version: '1' },
    fields: {
      'general:address': { ...field, value: 'ул. Ленина, 1' },
      'general:year_built': { ...field, value: 1978 },
    },
    pages: 1,
    sheets: [{ reader: 'text', width: 595, height: 842, turn: 0, picture: null }],
    engine: { llm_provider: 'none', model: null, version: '1' },
    warnings: [],
    ...overrides,
  };
}

describe('documents', () => {
  it('go from PENDING through PROCESSING to SUCCESS, and open with their extraction', async () => {
    const { id, status, cached, version } = await upload(anna, { filename: 'Паспорт.pdf' });
    expect({ status, cached, version }).toEqual({ status: 'PENDING', cached: false, version: 1 });
    const { attempt } = await claim();
    expect(await documents.find(anna, id)).toMatchObject({ status: 'PROCESSING', progress: null });
    await tasks.renew('w1', [{ id, attempt, leaseMs: 60_000, progress: 0.5 }]);
    expect(await documents.findWithResult(anna, id)).toMatchObject({ status: 'PROCESSING', progress: 0.5 });
    const result = extraction();
    const done = { outcome: 'done', result: result as unknown as JsonValue, processingMs: 1 } as const;
    await tasks.completeAndClaim([{ id, attempt, ...done }], claimNothing());
    const document = await opened(anna, id);
    expect(document).toMatchObject({ filename: 'Паспорт.pdf', status: 'SUCCESS', errorType: null, progress: null });
    expect(document.extraction).toEqual(result);
    expect(document.edits).toEqual([]);
    expect(document.updatedAt.getTime()).toBeGreaterThanOrEqual(document.createdAt.getTime());
  });

  it('are created in order, all or none, and the files of a failed batch are deleted', async () => {
    const fileKeys = [await stored(), await stored()];
    const batch = fileKeys.map((fileKey, i) => ({ filename: `${i}.pdf`, fileKey, sizeBytes: 5, cacheKey: `c${i}` }));
    const created = await documents.create(anna, batch);
    expect(created.map(({ filename }) => filename)).toEqual(['0.pdf', '1.pdf']);
    const { items } = await documents.list('anna', { page: 1, limit: 50 });
    expect(items.map(({ id }) => id)).toEqual(created.map(({ id }) => id).reverse());

    const lost = await stored();
    const bad = { filename: 'b.pdf', fileKey: lost, sizeBytes: Number.NaN, cacheKey: 'c' };
    await expect(documents.create(anna, [{ ...bad, sizeBytes: 5 }, bad])).rejects.toThrow();
    expect((await documents.list('anna', { page: 1, limit: 50 })).total).toBe(2);
    expect(await exists(lost)).toBe(false);
  });

  it.each(ERROR_TYPES)('that fail with %s have its status, error type and message', async (code) => {
    const { id } = await upload(anna);
    await failWith(id, code);
    const document = await documents.findWithResult(anna, id);
    expect(document).toMatchObject({ status: statusOf('failed', code), errorType: code });
    expect(document).not.toHaveProperty('extraction');
    expect(document?.error).toBe(failure(code).message);
  });

  it('have the same status in the filter of the list and in statusOf', async () => {
    const codes = [...ERROR_TYPES, ...Object.keys(FAILURES), 'INFERENCE_TIMEOUT', 'INFERENCE_FAILED', 'UNHEARD_OF'];
    const states = [['queued', null], ['processing', null], ['done', null], ...codes.map((code) => ['failed', code])];
    const statuses = new Set(states.map(([status, code]) => statusOf(status as 'failed', code as string | null)));
    for (const [status, code] of states) {
      const matching = [];
      for (const wanted of statuses) {
        const { rowCount } = await db.query(
          `select from (select $1::text as status, $2::text as error_code where $3::text is null) t where ${STATUS_CONDITION}`,
          [status, code, null, ...statusParams(wanted)],
        );
        if (rowCount > 0) matching.push(wanted);
      }
      expect(matching).toEqual([statusOf(status as 'failed', code as string | null)]);
    }
  });

  it('are listed by session and status, newest first, with the total count', async () => {
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push((await upload(anna)).id);
    await upload(boris);
    await failWith(ids[0]!, 'PDF_CORRUPT');
    const page = await documents.list('anna', { page: 2, limit: 2 });
    expect(page.total).toBe(5);
    expect(page.items.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    expect(page.items[0]?.createdAt).toBeInstanceOf(Date);
    expect(await documents.list('anna', { page: 9, limit: 2 })).toEqual({ items: [], total: 5 });
    const broken = await documents.list('anna', { status: 'PERMANENT_ERROR', page: 1, limit: 50 });
    expect(broken).toMatchObject({ total: 1, items: [{ id: ids[0] }] });
  });

  it('that repeat a completed one start as SUCCESS with its original extraction, and share its file', async () => {
    const first = await finished(anna, { cacheKey: 'same' });
    await documents.update(anna, first, [{ key: 'general:address', value: 'edited' }]);
    await documents.rename(anna, first, 'renamed.pdf');
    const { fileKey } = (await documents.find(anna, first))!;
    const own = await stored();
    const again = { filename: 'b.pdf', fileKey: own, sizeBytes: 5, cacheKey: 'same' };
    const [copy] = await documents.create(boris, [again]);
    expect(copy).toMatchObject({ status: 'SUCCESS', cached: true, filename: 'b.pdf', version: 1, fileKey });
    expect((await opened(boris, copy!.id)).extraction).toEqual(extraction());
    expect((await opened(boris, copy!.id)).edits).toEqual([]);
    expect(await exists(own)).toBe(false);

    expect(await documents.remove(anna, first)).toBe(true);
    expect(await exists(fileKey)).toBe(true);
    expect(await documents.remove(boris, copy!.id)).toBe(true);
    expect(await exists(fileKey)).toBe(false);
  });

  it('are not copied from a result that was created without the language model', async () => {
    const warnings = [{ code: 'LLM_TIMEOUT', message: 'The language model took too long.' }];
    await finished(anna, { cacheKey: 'late' }, extraction({ warnings }));
    expect(await upload(anna, { cacheKey: 'late' })).toMatchObject({ status: 'PENDING', cached: false });
  });

  it('keep their file if the completed one is deleted while a repetition is created', async () => {
    for (let round = 0; round < 10; round++) {
      const first = await finished(anna, { cacheKey: `race-${round}` });
      const [removed, copy] = await Promise.all([
        documents.remove(anna, first),
        upload(boris, { cacheKey: `race-${round}` }),
      ]);
      expect(removed).toBe(true);
      expect(await exists((await documents.find(boris, copy.id))!.fileKey)).toBe(true);
      await documents.remove(boris, copy.id);
    }
    expect((await db.query('select from passport_files')).rowCount).toBe(0);
  });
});

describe('access to a document', () => {
  const cases: [string, Caller, Caller, { open: boolean; strict: boolean }][] = [
    ['its own session has access', anna, anna, { open: true, strict: true }],
    ['another session has no access', boris, anna, { open: false, strict: false }],
    [
      'a key has access to a document of an anonymous session unless ownership is strict',
      clerk,
      anna,
      { open: true, strict: false },
    ],
    ['a key has access to its own document', clerk, clerk, { open: true, strict: true }],
    [
      'a key has access to its own document from another session',
      { session: 'boris', key: 'clerk' },
      clerk,
      { open: true, strict: true },
    ],
    ["a key has no access to another key's document", other, clerk, { open: false, strict: false }],
    [
      'a session has access to a document that a key created in it',
      anna,
      { session: 'anna', key: 'clerk' },
      { open: true, strict: true },
    ],
    [
      'a key has no access to a document that another key created in a session',
      other,
      { session: 'anna', key: 'clerk' },
      { open: false, strict: false },
    ],
    [
      'a key in a session has access to a document of that session',
      { session: 'anna', key: 'other' },
      anna,
      { open: true, strict: true },
    ],
  ];
  it.each(cases)('%s', async (_, caller, maker, expected) => {
    const { id } = await upload(maker);
    expect((await documents.find(caller, id)) !== undefined).toBe(expected.open);
    expect((await openDocuments({ strictOwnership: true }).find(caller, id)) !== undefined).toBe(expected.strict);
    if (expected.open) return;
    // Every method answers as for a missing document.
    expect(await documents.findWithResult(caller, id)).toBeUndefined();
    expect(await documents.update(caller, id, [])).toBeUndefined();
    expect(await documents.history(caller, id)).toBeUndefined();
    expect(await documents.rename(caller, id, 'x')).toBeUndefined();
    expect(await documents.retry(caller, id)).toBeUndefined();
    expect(await documents.remove(caller, id)).toBe(false);
    expect(await documents.find(maker, id)).toBeDefined();
  });
});

describe('edits', () => {
  it('override the extraction, increase the version, and are listed in the history', async () => {
    const id = await finished(anna);
    const edited = (await documents.update(clerk, id, [
      { key: 'general:address', value: 'ул. Мира, 2' },
      { key: 'general:year_built', value: 1978 },
      { key: 'rooms:1.name', value: 'Кухня' },
    ])) as CompletedDocument;
    expect(edited.version).toBe(2);
    expect(edited.extraction).toEqual(extraction());
    expect(edited.edits.map(({ key, value }) => [key, value])).toEqual([
      ['general:address', 'ул. Мира, 2'],
      ['rooms:1.name', 'Кухня'],
    ]);
    await documents.update(anna, id, [{ key: 'general:address', value: null }]);
    const { version, edits } = await opened(anna, id);
    expect({ version, address: edits.find(({ key }) => key === 'general:address')?.value }).toEqual({
      version: 3,
      address: null,
    });
    const history = await documents.history(anna, id);
    expect(history?.map(({ actor, key, from, to }) => [actor, key, from, to])).toEqual([
      ['clerk', 'general:address', 'ул. Ленина, 1', 'ул. Мира, 2'],
      ['clerk', 'rooms:1.name', null, 'Кухня'],
      ['session', 'general:address', 'ул. Мира, 2', null],
    ]);
    expect(history?.[0]?.at).toBeInstanceOf(Date);
  });

  it('that change nothing keep the version', async () => {
    const id = await finished(anna);
    const edits = [
      { key: 'general:year_built', value: 1978 },
      { key: 'general:owner', value: null },
    ];
    expect(await documents.update(anna, id, edits)).toMatchObject({ version: 1, edits: [] });
  });

  it('have a history of at most 16 MiB, of which the latest 4 MiB are returned, and keep their current values', async () => {
    const id = await finished(anna);
    // Random characters cannot be compressed.
    const text = () => randomBytes(375_000).toString('base64');
    await documents.update(anna, id, [{ key: 'general:owner', value: 'the oldest edit' }]);
    const values = Array.from({ length: 25 }, text);
    for (const value of values) await documents.update(anna, id, [{ key: 'general:address', value }]);
    const { edits } = await opened(anna, id);
    const current = new Map(edits.map(({ key, value }) => [key, value]));
    expect(current).toEqual(
      new Map([
        ['general:owner', 'the oldest edit'],
        ['general:address', values.at(-1)],
      ]),
    );
    const { rows } = await db.query<{ bytes: number }>(
      'select sum(octet_length(old_value::text) + octet_length(new_value::text))::int as bytes from passport_edits where document = $1',
      [id],
    );
    expect(rows[0]!.bytes).toBeGreaterThan(15 * 2 ** 20);
    expect(rows[0]!.bytes).toBeLessThan(17 * 2 ** 20);
    const history = await documents.history(anna, id);
    expect(history!.map(({ to }) => to)).toEqual(values.slice(-4));
    const longest = 'x'.repeat(5 * 2 ** 20);
    await documents.update(anna, id, [{ key: 'general:address', value: longest }]);
    expect((await documents.history(anna, id))!.map(({ to }) => to)).toEqual([longest]);
  });

  it('with the same expected version conflict: one succeeds; without a version all are saved', async () => {
    const id = await finished(anna);
    const set = (value: string, options = {}) =>
      documents.update(anna, id, [{ key: 'general:address', value }], options);
    const outcomes = await Promise.all([set('one', { ifVersion: 1 }), set('two', { ifVersion: 1 })]);
    expect(outcomes.filter((outcome) => outcome === 'conflict')).toHaveLength(1);
    expect((await opened(anna, id)).version).toBe(2);
    await Promise.all(['three', 'four', 'five'].map((value) => set(value)));
    expect((await opened(anna, id)).version).toBe(5);
    expect(await documents.history(anna, id)).toHaveLength(4);
    // Each entry starts from the previous value.
    const chain = (await documents.history(anna, id))!;
    for (let i = 1; i < chain.length; i++) expect(chain[i]?.from).toBe(chain[i - 1]?.to);
  });

  it('are rejected unless the document is in SUCCESS', async () => {
    const { id } = await upload(anna);
    expect(await documents.update(anna, id, [{ key: 'general:address', value: 'x' }])).toBe('not-editable');
    await failWith(id, 'NO_FIELDS_FOUND');
    expect(await documents.update(anna, id, [{ key: 'general:address', value: 'x' }])).toBe('not-editable');
  });
});

describe('retry and remove', () => {
  it('queues a retryable document again: of two concurrent retries one succeeds', async () => {
    const { id } = await upload(anna);
    expect(await documents.retry(anna, id)).toBe('not-retryable');
    await failWith(id, 'STORAGE_ERROR');
    const outcomes = await Promise.all([documents.retry(anna, id), documents.retry(clerk, id)]);
    expect(outcomes.filter((outcome) => outcome === 'not-retryable')).toHaveLength(1);
    expect(await documents.find(anna, id)).toMatchObject({ status: 'PENDING', errorType: null, error: null });
    await endWith(id, extraction());
    expect(await documents.retry(anna, id)).toBe('not-retryable');
  });

  it('does not retry a document with a permanent error', async () => {
    const { id } = await upload(anna);
    await failWith(id, 'PDF_ENCRYPTED');
    expect(await documents.retry(anna, id)).toBe('not-retryable');
    expect(await documents.find(anna, id)).toMatchObject({ status: 'PERMANENT_ERROR' });
  });

  it('removes a document while a worker processes it, and discards the worker’s results', async () => {
    const { id, fileKey } = await upload(anna);
    const { attempt } = await claim();
    const picture = await stored();
    expect(await postgresPictures(db).add({ task: id, attempt, worker: 'w1', fileKey }, picture)).toBe(true);
    expect(await documents.remove(anna, id)).toBe(true);
    expect(await documents.remove(anna, id)).toBe(false);
    expect([await exists(fileKey), await exists(picture)]).toEqual([false, false]);
    expect(await tasks.renew('w1', [{ id, attempt, leaseMs: 60_000 }])).toEqual([]);
    expect(await postgresPictures(db).add({ task: id, attempt, worker: 'w1', fileKey }, await stored())).toBe(false);
    const late = { id, attempt, outcome: 'done', result: {}, processingMs: 1 } as const;
    expect((await tasks.completeAndClaim([late], claimNothing())).ended).toEqual([]);
    expect(await documents.find(anna, id)).toBeUndefined();
  });

  it('removes a document whose file is already missing', async () => {
    const { id, fileKey } = await upload(anna);
    await files.remove(fileKey);
    expect(await documents.remove(anna, id)).toBe(true);
  });
});

describe('page images', () => {
  const READER = '1 ocr';

  it('are replaced by each attempt; a late worker neither adds nor removes one', async () => {
    const { id: task, fileKey } = await upload(anna);
    const pictures = postgresPictures(db);
    const { attempt } = await claim();
    const first = { task, attempt, worker: 'w1', fileKey };
    expect(await pictures.begin(first, READER)).toEqual([]);
    const [old, latest, late] = [await stored(), await stored(), await stored()];
    await pictures.add(first, old);
    await tasks.completeAndClaim([{ id: task, attempt, outcome: 'again', delayMs: 0 }], claimNothing());
    const second = { task, attempt: (await claim('w2')).attempt, worker: 'w2', fileKey };
    expect(await pictures.begin(second, READER)).toEqual([]);
    expect(await pictures.add(second, latest)).toBe(true);
    expect(await pictures.begin(first, READER)).toBeUndefined();
    expect(await pictures.add(first, late)).toBe(false);
    await documents.deleteExpired();
    expect([await exists(old), await exists(latest)]).toEqual([false, true]);
  });

  it('of stored pages are kept for another attempt with the same reader, and the pages are deleted when the task ends', async () => {
    const { id: task, fileKey } = await upload(anna);
    const pictures = postgresPictures(db);
    const content = Buffer.from([0, 1, 255]);
    const storedPages = async () =>
      (await db.query('select page from passport_read_pages where document = $1', [task])).rows;
    const attempts = async (worker: string) => ({ task, attempt: (await claim(worker)).attempt, worker, fileKey });
    const giveBack = ({ attempt, worker }: { attempt: number; worker: string }) =>
      tasks.completeAndClaim([{ id: task, attempt, outcome: 'again', delayMs: 0 }], claimNothing(worker));
    const first = await attempts('w1');
    const [kept, other] = [await stored(), await stored()];
    expect(await pictures.add(first, kept, { page: 2, reader: READER, content, isTimedOut: false })).toBe(true);
    expect(await pictures.add(first, other)).toBe(true);
    await giveBack(first);

    const second = await attempts('w2');
    const pages = await pictures.begin(second, READER);
    expect(pages).toEqual([{ page: 2, picture: kept, content, isTimedOut: false }]);
    await documents.deleteExpired();
    expect([await exists(kept), await exists(other)]).toEqual([true, false]);
    await giveBack(second);

    // After an upgrade the page is read again.
    const third = await attempts('w3');
    expect(await pictures.begin(third, '2 ocr')).toEqual([]);
    expect(await storedPages()).toEqual([]);
    expect(await pictures.add(third, await stored(), { page: 1, reader: '2 ocr', content, isTimedOut: true })).toBe(
      true,
    );
    expect(await storedPages()).toEqual([{ page: 1 }]);
    const done = { id: task, attempt: third.attempt, outcome: 'done', result: {}, processingMs: 1 } as const;
    expect((await tasks.completeAndClaim([done], claimNothing('w3'))).ended).toEqual([task]);
    expect(await storedPages()).toEqual([]);
  });

  it('belong to the worker that holds the claim, if a database crash lost the claim of another one', async () => {
    const { id: task, fileKey } = await upload(anna);
    const pictures = postgresPictures(db);
    const lost = { task, attempt: (await claim('w1')).attempt, worker: 'w1', fileKey };
    await db.query(`update tasks set status = 'queued', worker = null, attempts = 0 where id = $1`, [task]);
    const holder = { task, attempt: (await claim('w2')).attempt, worker: 'w2', fileKey };
    expect(holder.attempt).toBe(lost.attempt);
    expect(await pictures.begin(holder, READER)).toEqual([]);
    expect([await pictures.add(lost, await stored()), await pictures.add(holder, await stored())]).toEqual([
      ...[false, true],
    ]);
    expect([await pictures.begin(lost, READER), await pictures.begin(holder, READER)]).toEqual([undefined, []]);
  });
});

describe('each', () => {
  it('returns the completed documents of one session or all with their edits, oldest first', async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(await finished(i === 1 ? boris : anna));
    await upload(anna);
    await documents.update(anna, ids[0]!, [{ key: 'general:address', value: 'x' }]);
    const all = async (which: Parameters<typeof documents.streamCompleted>[0]) => {
      const found = [];
      for await (const document of documents.streamCompleted(which)) found.push(document);
      return found;
    };
    const every = await all({});
    expect(every.map(({ id }) => id)).toEqual(ids);
    expect(every[0]?.edits).toHaveLength(1);
    expect((await all({ session: 'anna' })).map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    await makeOlder(ids[0]!, 10);
    const week = new Date(Date.now() - 7 * 86_400_000);
    expect((await all({ from: week })).map(({ id }) => id)).toEqual([ids[1], ids[2]]);
    expect((await all({ to: week })).map(({ id }) => id)).toEqual([ids[0]]);
  });

  it('returns every document once, even if several batches have the same creation time', async () => {
    const source = await finished(anna, { cacheKey: 'many' });
    const { fileKey } = (await documents.find(anna, source))!;
    const batch = Array.from({ length: 120 }, (_, i) => ({
      filename: `${i}`,
      fileKey,
      sizeBytes: 5,
      cacheKey: 'many',
    }));
    const created = await documents.create(anna, batch);
    expect(created.every(({ status }) => status === 'SUCCESS')).toBe(true);
    const seen = [];
    for await (const { id } of documents.streamCompleted({})) seen.push(id);
    expect(seen).toEqual([source, ...created.map(({ id }) => id)]);
  });
});

describe('cleanup', () => {
  it('removes old documents in any state with their unshared files, and counts them in a dry run', async () => {
    const old = await finished(anna, { cacheKey: 'shared' });
    const copy = (await upload(boris, { cacheKey: 'shared' })).id;
    const waiting = (await upload(anna)).id;
    const young = (await upload(anna)).id;
    const { fileKey } = (await documents.find(anna, waiting))!;
    for (const id of [old, waiting]) await makeOlder(id, 31);
    expect(await documents.cleanup({ days: 30, dryRun: true })).toEqual({ tasks: 2, files: 1 });
    expect((await documents.list('anna', { page: 1, limit: 50 })).total).toBe(3);
    expect(await documents.cleanup({ days: 30, dryRun: false })).toEqual({ tasks: 2, files: 1 });
    expect((await documents.list('anna', { page: 1, limit: 50 })).items.map(({ id }) => id)).toEqual([young]);
    expect(await exists(fileKey)).toBe(false);
    expect(await opened(boris, copy)).toMatchObject({ status: 'SUCCESS' });
    expect(await exists((await opened(boris, copy)).fileKey)).toBe(true);
    expect(await documents.cleanup({ days: 30, dryRun: false })).toEqual({ tasks: 0, files: 0 });
  });

  it('removes more than one batch', async () => {
    const source = await finished(anna, { cacheKey: 'heap' });
    const { fileKey } = (await documents.find(anna, source))!;
    const batch = Array.from({ length: 600 }, () => ({ filename: 'x', fileKey, sizeBytes: 5, cacheKey: 'heap' }));
    await documents.create(anna, batch);
    await db.query(`update passport_documents set created_at = created_at - interval '40 days'`);
    expect(await documents.cleanup({ days: 30, dryRun: false })).toEqual({ tasks: 601, files: 1 });
    expect(await exists(fileKey)).toBe(false);
  });

  it('waits for another cleanup, and returns "busy" after its time limit', {
    tags: ['full'],
    timeout: 20_000,
  }, async () => {
    await db.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock(3355201117)');
      const waiting = Promise.all(Array.from({ length: 20 }, () => documents.cleanup({ days: 30, dryRun: true })));
      // Waiting cleanups leave connections free: getting none within 3 s is an error.
      await sleep(500);
      await db.query('select 1');
      expect(new Set(await waiting)).toEqual(new Set(['busy']));
    });
    const both = await Promise.all([1, 2].map(() => documents.cleanup({ days: 30, dryRun: false })));
    expect(both).toEqual([
      { tasks: 0, files: 0 },
      { tasks: 0, files: 0 },
    ]);
  });
});

it('failures returns the failures within a window, without file names', async () => {
  await finished(anna);
  for (const code of ['NO_FIELDS_FOUND', 'STORAGE_ERROR', 'STORAGE_ERROR', 'PDF_CORRUPT'] as const) {
    await failWith((await upload(anna)).id, code);
  }
  const earlier = (await upload(anna)).id;
  await failWith(earlier, 'TIMEOUT');
  await db.query(`update tasks set finished_at = finished_at - interval '2 hours' where id = $1`, [earlier]);
  const statistics = await documents.failureStatistics(3600, clerk);
  expect(statistics).toMatchObject({
    total: 5,
    failed: 4,
    byStatus: { FAILED: 1, ERROR: 2, PERMANENT_ERROR: 1 },
    byErrorType: { NO_FIELDS_FOUND: 1, STORAGE_ERROR: 2, PDF_CORRUPT: 1 },
  });
  expect(statistics.recent.map(({ errorType }) => errorType)).toEqual([
    'PDF_CORRUPT',
    'STORAGE_ERROR',
    'STORAGE_ERROR',
    'NO_FIELDS_FOUND',
  ]);
  expect(Object.keys(statistics.recent[0]!).sort()).toEqual(['errorType', 'failedAt', 'id', 'status']);
});

describe('images', () => {
  const photo = async (overrides = {}) => ({
    filename: 'лист.jpg',
    fileKey: await stored(),
    sha256: 'abc',
    sizeBytes: 5,
    contentType: 'image/jpeg',
    width: 4000,
    height: 3000,
    ...overrides,
  });
  const add = async (session = 'anna', most = 200) => documents.addImage({ session }, await photo(), most);

  it('are listed per session in upload order, and rotate by quarter turns', async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(((await add()) as { id: string }).id);
    expect((await documents.images('anna')).map(({ id }) => id)).toEqual(ids);
    expect(await documents.rotateImage('anna', ids[0]!, 90)).toMatchObject({ rotation: 90, width: 4000 });
    expect(await documents.rotateImage('anna', ids[0]!, 270)).toMatchObject({ rotation: 0 });
    expect(await documents.rotateImage('anna', ids[0]!, 270)).toMatchObject({ rotation: 270 });
    expect(await documents.image('boris', ids[0]!)).toBeUndefined();
    expect(await documents.rotateImage('boris', ids[0]!, 90)).toBeUndefined();
    expect(await documents.removeImage('boris', ids[0]!)).toBe(false);
    const { fileKey } = (await documents.image('anna', ids[0]!))!;
    expect(await documents.removeImage('anna', ids[0]!)).toBe(true);
    expect(await exists(fileKey)).toBe(false);
    await documents.removeImages('boris', ids);
    expect((await documents.images('anna')).map(({ id }) => id)).toEqual(ids.slice(1));
    await documents.removeImages('anna', [ids[1]!]);
    expect((await documents.images('anna')).map(({ id }) => id)).toEqual([ids[2]]);
  });

  it('are limited per session, also for concurrent uploads', async () => {
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => add('anna', 5)));
    expect(outcomes.filter((outcome) => outcome === 'too-many')).toHaveLength(7);
    expect(await documents.images('anna')).toHaveLength(5);
    expect(await add('boris', 5)).not.toBe('too-many');
  });

  it('expire after their lifetime, and their files are deleted by the next cleanup', async () => {
    const { id, fileKey } = (await add()) as { id: string; fileKey: string };
    await db.query(`update passport_images set created_at = created_at - interval '86401 seconds'`);
    expect(await documents.image('anna', id)).toBeUndefined();
    expect(await documents.images('anna')).toEqual([]);
    expect(await add('anna', 1)).not.toBe('too-many');
    await documents.deleteExpired();
    expect(await exists(fileKey)).toBe(false);
    expect(await documents.images('anna')).toHaveLength(1);
  });
});

describe('stored bytes', () => {
  const ROWS_HELD = `
    select passport_principal(session, key_name) as principal, sum(size_bytes)::int as bytes
      from (select session, key_name, size_bytes from passport_documents
             union all select session, key_name, size_bytes from passport_images) as held
     group by 1 order by 1`;
  const COUNTED = `
    select principal, sum(bytes)::int as bytes from passport_bytes group by 1 having sum(bytes) <> 0 order by 1`;
  const count = async (sql: string) => (await db.query<{ principal: string; bytes: number }>(sql)).rows;
  const image = async () => ({
    ...{ filename: 'a.jpg', fileKey: await stored(), sha256: 'abc', sizeBytes: 7 },
    ...{ contentType: 'image/jpeg', width: 1, height: 1 },
  });
  const tablet: Caller = { session: 'tablet', key: 'clerk' };

  it('are counted per key or session, also after the cleanup has folded them', async () => {
    const { id } = await upload(anna);
    await upload(anna);
    await upload(clerk);
    await upload(tablet);
    await documents.addImage(tablet, await image(), 200);
    await documents.addImage(boris, await image(), 200);
    await documents.remove(anna, id);
    const held = await count(ROWS_HELD);
    expect(held.map(({ principal }) => principal)).toEqual(['anna', 'boris', 'key:clerk']);
    expect(await count(COUNTED)).toEqual(held);
    // Housekeeping may run on several machines at the same time.
    await Promise.all([documents.deleteExpired(), documents.deleteExpired(), upload(anna)]);
    expect(await count(COUNTED)).toEqual(await count(ROWS_HELD));
    await documents.deleteExpired();
    expect(await count('select principal, bytes::int as bytes from passport_bytes order by 1')).toEqual(
      await count(ROWS_HELD),
    );
    const imagesOfBoris = await documents.images('boris');
    await documents.removeImages(
      'boris',
      imagesOfBoris.map(({ id }) => id),
    );
    await documents.cleanup({ days: 0, dryRun: false });
    expect(await count(COUNTED)).toEqual([{ principal: 'key:clerk', bytes: 7 }]);
  });

  it('are summed up again if concurrent cleanups have left two sums of a key', async () => {
    await db.query(`insert into passport_bytes (principal, bytes, folded) values ('anna', 5, true), ('anna', 6, true)`);
    await documents.deleteExpired();
    expect(await count('select principal, bytes::int as bytes from passport_bytes')).toEqual([
      { principal: 'anna', bytes: 11 },
    ]);
  });

  it('beyond the quota are rejected, and their file is deleted', async () => {
    const key = await stored();
    const small = openDocuments({ quotaBytes: 10 });
    const create = (fileKey: string, sizeBytes: number) =>
      small.create(anna, [{ filename: 'a.pdf', fileKey, sizeBytes, cacheKey: fileKey }]);
    await create(await stored(), 10);
    await expect(create(key, 1)).rejects.toThrow('would exceed the quota of 10 bytes');
    expect(await exists(key)).toBe(false);
    await expect(small.addImage(anna, await image(), 200)).rejects.toThrow('would exceed the quota of 10 bytes');
  });
});

describe('events', () => {
  const eventsOf = async (session: string, after = 0) => {
    const events = await documents.events(session, after);
    if (events === 'lost') throw new Error('lost');
    return events.map(({ id, kind, status, previousStatus }) => [id, kind, previousStatus, status]);
  };

  it('report all changes to a session’s documents, by any caller', async () => {
    const { id } = await upload(anna);
    await failWith(id, 'STORAGE_ERROR');
    await documents.retry(anna, id);
    await claim();
    await db.query(`update tasks set leased_until = now() - interval '1 second', attempts = 3`);
    await tasks.sweep({ services: ['passports'], maxAttempts: 3, batchMaxWaitSeconds: 3600, rows: 100 });
    await documents.rename(anna, id, 'b.pdf');
    await documents.remove(anna, id);
    expect(await eventsOf('anna')).toEqual([
      [1, 'task', null, 'PENDING'],
      [2, 'task', 'PENDING', 'PROCESSING'],
      [3, 'task', 'PROCESSING', 'ERROR'],
      [4, 'task', 'ERROR', 'PENDING'],
      [5, 'task', 'PENDING', 'PROCESSING'],
      [6, 'task', 'PROCESSING', 'ERROR'],
      [7, 'task', 'ERROR', 'ERROR'],
      [8, 'deleted', null, null],
    ]);
    expect(await eventsOf('anna', 6)).toHaveLength(2);
    expect(await eventsOf('anna', 8)).toEqual([]);
    expect(await documents.lastEvent('anna')).toBe(8);
    expect(await documents.lastEvent('boris')).toBe(0);
    expect(await eventsOf('boris')).toEqual([]);
    expect(await documents.events('anna', 9)).toBe('lost');
  });

  it('have no gaps and never appear below a number that a reader has seen', async () => {
    const writers = Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let i = 0; i < 5; i++) await documents.rename(anna, (await upload(anna)).id, `${i}.pdf`);
      }),
    );
    let writing = true;
    void writers.finally(() => {
      writing = false;
    });
    const reader = async () => {
      const seen: number[] = [];
      for (let last = false; ; ) {
        last = !writing;
        for (const [id] of await eventsOf('anna', seen.length)) seen.push(id as number);
        if (last) return seen;
      }
    };
    const [one, two] = await Promise.all([reader(), reader()]);
    await writers;
    expect(one).toEqual(Array.from({ length: 80 }, (_, i) => i + 1));
    expect(two).toEqual(one);
  });

  it('are limited to the latest 1000; a reader further behind gets "lost"', async () => {
    await db.query(
      `insert into passport_events (session, kind, document) select 'anna', 'deleted', n::text from generate_series(1, 1500) n`,
    );
    expect(await documents.lastEvent('anna')).toBe(1500);
    expect(await documents.events('anna', 499)).toBe('lost');
    const events = await documents.events('anna', 500);
    expect(events).toHaveLength(1000);
    expect(events[0]).toMatchObject({ id: 501, task: '501' });
  });

  it('stirred returns only the sessions with events after the given number', async () => {
    await upload(anna);
    const last = await documents.lastEvent('anna');
    const stirred = async (after: number) =>
      [
        ...(await documents.findChangedSessions(['anna', 'boris', 'unknown'].map((session) => ({ session, after })))),
      ].sort();
    expect(await documents.findChangedSessions([{ session: 'anna', after: last }])).toEqual(new Set());
    expect(await stirred(0)).toEqual(['anna']);
    await upload(boris);
    expect(await stirred(0)).toEqual(['anna', 'boris']);
    expect(await documents.findChangedSessions([{ session: 'anna', after: last }])).toEqual(new Set());
    await upload(anna);
    expect(await documents.findChangedSessions([{ session: 'anna', after: last }])).toEqual(new Set(['anna']));
    // An unknown number means that the reader must start again.
    expect(await documents.findChangedSessions([{ session: 'unknown', after: 7 }])).toEqual(new Set(['unknown']));
  });

  it('of an unwatched session are limited and expire', async () => {
    await db.query(
      `insert into passport_events (session, kind, document, at)
       select 'anna', 'deleted', n::text, now() - interval '2 minutes' from generate_series(1, 1500) n`,
    );
    await documents.deleteExpired();
    expect((await db.query('select from passport_events')).rowCount).toBe(1000);
    await db.query(`update passport_events set at = now() - interval '40 days' where number <= 1400`);
    await documents.deleteExpired();
    expect((await db.query('select from passport_events')).rowCount).toBe(100);
    expect(await documents.events('anna', 1399)).toBe('lost');
    expect(await documents.events('anna', 1400)).toHaveLength(100);
  });

  it('call the callback of onEvents', async () => {
    const stop = new AbortController();
    const woken = new Promise<void>((resolve) => documents.onEvents(resolve, stop.signal));
    await upload(anna);
    await woken;
    stop.abort();
  });
});
