import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startEmbeddedPostgres } from '../../src/base/embedded-postgres.ts';
import { createLog } from '../../src/base/log.ts';
import { OperatorError } from '../../src/base/operator-error.ts';
import { backupCommand } from '../../src/commands/backup.ts';
import { BACKUP_CONTENTS } from '../../src/commands/backup-contents.ts';
import { restoreCommand } from '../../src/commands/restore.ts';
import { findCandidates, saveLesson } from '../../src/services/passports/store/lessons.ts';
import { createCorrectionStore } from '../../src/services/stt/corrections/store.ts';
import { finishTasks } from '../support/catalog-tasks.ts';
import { emptyDatabase, testDatabase } from '../support/database.ts';
import { createClient, createPdf, type Passports, startPassports } from '../support/passports.ts';
import {
  type Assay,
  cleanUp,
  createInstancePlace,
  type InstancePlace,
  REPOSITORY,
  signalTo,
  startAssay,
} from '../support/processes/assay.ts';
import { predict, uploadPicture, waitForTask } from '../support/processes/client.ts';
import { startReceiver } from '../support/receiver.ts';
import { TRANSCRIPT } from '../support/speech/fake-model.ts';

// These tests start and stop real processes.
vi.setConfig({ testTimeout: 180_000 });
afterEach(cleanUp);

async function run(
  place: Pick<InstancePlace, 'dataDir'>,
  args: readonly string[],
  env: Record<string, string | undefined> = {},
) {
  const program = startAssay({ port: 0, ...place }, { args, env });
  const { code } = await program.ended;
  return { code, out: program.output.out, err: program.output.err };
}

const resultOf = async ({ call }: Assay, id: string) => (await call(`/result/${id}`)).body;

const CORRUPT_IMAGE = Buffer.from('\xff\xd8\xff\xe0 no picture', 'latin1');

describe('Backup and restore on one machine', () => {
  it('creates a backup under load; the restored instance has the finished results and completes the queued tasks', {
    tags: ['full'],
  }, async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const first = await createInstancePlace();
    const assay = startAssay(first);
    await assay.waitForOutput(/is ready/);
    const picture = await uploadPicture(assay, 1);
    const broken = (await assay.call('/files', { body: CORRUPT_IMAGE })).body.data.url;
    const ended = new Map<string, unknown>();
    for (const [image, status] of [
      [picture, 'done'],
      [broken, 'failed'],
    ] as const) {
      const id = (await predict(assay, image)).body.data.task_id;
      expect(await waitForTask(assay, id)).toMatchObject({ status });
      ended.set(id, await resultOf(assay, id));
    }

    // Stop the worker so that tasks stay queued or claimed.
    signalTo(await assay.child('work'), 'SIGSTOP');
    const webhook = { webhook_url: `${receiver.url}/hook` };
    const ask = async () => (await predict(assay, picture, webhook)).body.data.task_id;
    const waiting: string[] = await Promise.all(Array.from({ length: 20 }, ask));
    const file = join(dirname(first.dataDir), 'backup.tar');
    const statuses: number[] = [];
    let over = false;
    const [taken] = await Promise.all([
      run(first, ['backup', file]).finally(() => {
        over = true;
      }),
      (async () => {
        while (!over && statuses.length < 300) statuses.push((await predict(assay, picture)).status);
      })(),
    ]);
    expect(taken).toMatchObject({ code: 0, out: '' });
    expect(taken.err).toMatch(
      /^\S+ contains the state at \S+Z: \d+ tasks, 2 files, \d+\.\d MiB\.\nIt also contains keys and tokens: [^\n]*\n$/,
    );
    expect(new Set(statuses)).toEqual(new Set([202]));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readdir(dirname(file))).filter((name) => name.includes('tar'))).toEqual(['backup.tar']);
    const keys = (await assay.call('/.well-known/webhook-keys.json')).body;

    expect(await run(first, ['restore', file, '--replace'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^Assay is already running on this data directory/),
    });
    assay.kill('SIGKILL', 'group');

    const second = await createInstancePlace();
    const flipped = await readFile(file);
    flipped[flipped.length >> 1]! ^= 4;
    const damaged = join(dirname(second.dataDir), 'damaged.tar');
    await writeFile(damaged, flipped);
    expect(await run(second, ['restore', damaged])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^The backup \S+ is damaged: [^\n]+ Nothing was changed; use another one\.\n$/),
    });
    await expect(stat(second.dataDir)).rejects.toThrow('ENOENT');

    expect(await run(second, ['restore', file])).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(
        /^Restored the backup of \S+Z, made by Assay \S+: \d+ tasks, \d+ rows in \d+ tables, 2 files, and the keys\.\nStart /,
      ),
    });
    expect(await run(second, ['restore', file])).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /^The target is not empty\. Delete the existing data with --replace.* in the table tasks, the table [^,]+, the table \S+ and \d+ others\.\n$/,
      ),
    });

    const restored = startAssay(second);
    await restored.waitForOutput(/is ready/);
    for (const [id, was] of ended) expect(await resultOf(restored, id)).toEqual(was);
    for (const id of waiting) expect(await waitForTask(restored, id)).toMatchObject({ status: 'done' });
    await receiver.waitForRequests(waiting.length);
    expect((await restored.call('/.well-known/webhook-keys.json')).body).toEqual(keys);
  });

  it('reports invalid files and unreachable databases in one message and leaves no files behind', async () => {
    const { dataDir } = await createInstancePlace();
    const folder = dirname(dataDir);
    const database = await testDatabase();
    onTestFinished(() => database.drop());
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('DATA_DIR', dataDir);
    const { signal } = new AbortController();
    const expectRejection = async (attempt: () => Promise<void>, message: RegExp) => {
      const error: unknown = await attempt().then(
        () => 'no error',
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(OperatorError);
      expect((error as Error).message).toMatch(message);
      return (error as Error).message;
    };
    const file = (name: string) => join(folder, name);
    const backUp = (name: string) => () => backupCommand(file(name), {}, signal);
    const restore = (name: string) => () => restoreCommand(file(name), {}, signal);

    await expectRejection(
      backUp('x.tar'),
      /^There is nothing to back up in \S+\. Run .* set DATA_DIR or DATABASE_URL\.$/,
    );
    await expectRejection(restore('nowhere.tar'), /^The file \S+nowhere\.tar does not exist\.$/);
    await writeFile(file('letter.tar'), 'Dear operator,');
    await expectRejection(
      restore('letter.tar'),
      /letter\.tar is not a backup of Assay, or its beginning is damaged\.$/,
    );
    await writeFile(file('x.tar.gz'), gzipSync('Dear operator,'));
    await expectRejection(
      restore('x.tar.gz'),
      /^(\S+x\.tar\.gz) is compressed: run `gunzip -c \1 \| node scripts\/assay\.mjs restore -`\.$/,
    );
    vi.stubEnv('DATABASE_URL', database.url);
    await expectRejection(backUp('.'), /is a folder; give the name of a file\.$/);
    await expectRejection(backUp('no/such'), /cannot be written: the folder \S+ does not exist\.$/);
    const stopped = () => backupCommand(file('x.tar'), {}, AbortSignal.abort());
    await expectRejection(stopped, /^Stopped: no backup was written\.$/);
    vi.stubEnv('STT_DATABASE_URL', 'postgres://127.0.0.1:1/nothing');
    for (const command of [backUp('x.tar'), restore('x.tar')])
      await expectRejection(command, /several databases: .* need the files in a bucket \(FILES_URL\)\.$/);
    vi.stubEnv('STT_DATABASE_URL', undefined);
    vi.stubEnv('DATABASE_URL', 'postgres://nobody:hunter2@127.0.0.1:1/nothing');
    expect(await expectRejection(backUp('x.tar'), /^The database is unavailable: /)).not.toContain('hunter2');
    expect((await readdir(folder)).sort()).toEqual(['letter.tar', 'x.tar.gz']);
  });
});

describe('Backup and restore with an external database', () => {
  it('pipes documents, edits, templates, corrected transcripts, files and pending images from one database to another', {
    tags: ['full'],
  }, async () => {
    const passports = await startPassports();
    let stopped = false;
    const stop = async () => {
      if (!stopped) await passports.stop();
      stopped = true;
    };
    onTestFinished(stop);
    const admin = await passports.signIn();
    const file = createPdf('паспорт.pdf');
    const ids = await admin.upload(file, createPdf(), createPdf());
    await passports.succeed(ids[0]!);
    await passports.fail(ids[1]!, 'PDF_CORRUPT');
    const edit = { form: { 'general:address': 'ул. Новая, 1' }, headers: { accept: 'application/json' } };
    expect((await admin.post(`/task/${ids[0]}/update`, edit)).status).toBe(200);
    const wall = await readFile(join(REPOSITORY, 'examples/wall.jpg'));
    const images = { files: [{ name: 'wall.jpg', bytes: wall, type: 'image/jpeg' }] };
    expect((await admin.post('/api/v1/upload-images', images)).status).toBeLessThan(300);
    const { db } = passports.database;
    const lesson = { fields: [{ key: 'general:address' }], tables: [] };
    const learned = { lesson: { document: ids[0]!, lesson, hashes: [1, 2, 3] }, template: undefined, dropped: [] };
    expect(await saveLesson(db, 'key:admin', { document: ids[0]!, ...learned })).toBe('saved');
    const templates = await findCandidates(db, 'key:admin', [1, 2, 3]);
    const before = await readDocuments(admin, ids);
    expect(JSON.stringify(before)).toContain('"fields":["general:address"]');
    const [recording] = await finishTasks(passports.context.tasks, 'stt', [{ result: TRANSCRIPT as never }]);
    const segments = [{ start: 0, end: 1, text: 'The north wall shows a leak.' }];
    const corrected = createCorrectionStore(db);
    const correction = await corrected.write(recording!, {
      ...{ original: TRANSCRIPT.segments, segments },
      ...{ actor: 'token-1', ifVersion: 0 },
    });
    const history = await corrected.history(recording!, 10);
    expect(JSON.stringify(before)).toContain('ул. Новая, 1');

    const to = await emptyDatabase();
    onTestFinished(() => to.drop());
    const dataDir = await mkdtemp(join(tmpdir(), 'assay-restored-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const assay = join(REPOSITORY, 'scripts/assay.mjs');
    const script = `
      set -o pipefail
      DATABASE_URL="$FROM_URL" DATA_DIR="$FROM_DIR" "$NODE" "$ASSAY" backup - |
      DATABASE_URL="$TO_URL" DATA_DIR="$TO_DIR" "$NODE" "$ASSAY" restore -`;
    const env = {
      PATH: process.env['PATH'],
      ...{ NODE: process.execPath, ASSAY: assay, TO_URL: to.url, TO_DIR: dataDir },
      ...{ FROM_URL: passports.database.url, FROM_DIR: passports.dataDir },
    };
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env });
    expect(stdout).toMatch(/^Restored the backup/);
    expect((await readdir(dataDir)).sort()).toEqual(['files', 'keys']);
    // The restored instance must not depend on the original.
    await stop();

    const corrections = createCorrectionStore(to.db);
    expect(await corrections.read(recording!)).toEqual(correction);
    expect(await corrections.history(recording!, 10)).toEqual(history);
    expect(templates).toMatchObject([{ lessons: [{ document: ids[0], lesson }] }]);
    expect(await findCandidates(to.db, 'key:admin', [1, 2, 3])).toEqual(templates);
    const restored = await startPassports({ DATABASE_URL: to.url, DATA_DIR: dataDir });
    onTestFinished(() => restored.stop());
    const same = createClient(restored.url, admin.token);
    expect(await readDocuments(same, ids)).toEqual(before);
    const original = await same.get(`/export/${ids[0]}/pdf`);
    expect(original.status).toBe(200);
    await restored.succeed(ids[2]!);
    expect((await same.get(`/api/task/${ids[2]}/result`)).status).toBe(200);
  });

  it('rejects the restore while a process still uses the database', { tags: ['full'] }, async () => {
    const passports = await startPassports();
    onTestFinished(() => passports.stop());
    const folder = await mkdtemp(join(tmpdir(), 'assay-restored-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'it.tar');
    const env = { DATABASE_URL: passports.database.url };
    expect(await run(passports, ['backup', file], env)).toMatchObject({ code: 0 });
    expect(await run(passports, ['restore', file, '--replace'], env)).toMatchObject({
      code: 2,
      err: 'Assay still runs on this database. Stop all of its processes first.\n',
    });
  });

  it('covers every column that names a stored file', async () => {
    const database = await testDatabase();
    onTestFinished(() => database.drop());
    // These columns name no stored file, or one that another column or a cleanup covers.
    const others = [
      'catalog_details.recording_key',
      'catalog_files_to_delete.key',
      'passport_documents.cache_key',
      'passport_documents.file_key',
      'passport_edits.key',
      'passport_files_to_delete.key',
      'passport_pictures.file_key',
      'passport_readings.file_key',
    ];
    const { rows } = await database.db.query<{ name: string }>(
      `select table_name || '.' || column_name as name
         from information_schema.columns
        where table_schema = 'public' and data_type = 'text' and column_name ~ '(^|_)key$'
        order by 1`,
    );
    const expected = [...BACKUP_CONTENTS.fileColumns.map(({ table, column }) => `${table}.${column}`), ...others];
    expect(rows.map(({ name }) => name)).toEqual(expected.sort());
  });
});

/** All client-visible data without timestamps. */
async function readDocuments(client: Awaited<ReturnType<Passports['signIn']>>, ids: readonly string[]) {
  const paths = ids.flatMap((id) => ['status', 'result', 'history'].map((what) => `/api/task/${id}/${what}`));
  const answers = await Promise.all(
    ['/api/tasks', '/api/v1/images', '/api/templates', ...paths].map((path) => client.get(path)),
  );
  return answers.map(({ status, body }) => ({ status, body }));
}

it('Assay does not start on the data of another PostgreSQL major version and prints the upgrade steps', {
  tags: ['full'],
}, async () => {
  const place = await createInstancePlace();
  const log = createLog('silent', 'test');
  await (await startEmbeddedPostgres({ dataDir: place.dataDir, log, unsafeForTests: true })).stop();
  await writeFile(join(place.dataDir, 'postgres', 'cluster', 'PG_VERSION'), '17\n');
  for (const args of [['start'], ['backup', join(dirname(place.dataDir), 'x.tar')]]) {
    expect(await run(place, args)).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /^The database in \S+ was created by PostgreSQL 17, but this program contains 18\. .*`node scripts\/assay\.mjs backup FILE`.*`node scripts\/assay\.mjs restore FILE`\)\.\n$/,
      ),
    });
  }
});
