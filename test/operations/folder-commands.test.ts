import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ADMIN_KEY, createFakeExtractionModel, createPdf } from '../support/passports.ts';
import { REPOSITORY } from '../support/processes/assay.ts';
import { runAssay } from '../support/processes/run-assay.ts';
import { createFakeModel, type Product, RESULT, startProduct, TOKEN } from '../support/product.ts';
import { createFakeSpeechModel, TRANSCRIPT } from '../support/speech/fake-model.ts';

// These tests start real processes.
vi.setConfig({ testTimeout: 120_000 });

const WALL = join(REPOSITORY, 'examples/wall.jpg');
const NOTE = join(REPOSITORY, 'examples/voice-note.mp3');
let folder: string;
let photos: Product;
let speech: Product;
let passports: Product;
/** Tasks that the photo model has run. */
let runs = 0;
let pauseMs = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-folders-'));
  const model = createFakeModel();
  photos = await startProduct({
    model: {
      ...model,
      async run(job) {
        runs++;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        return model.run(job);
      },
    },
  });
  speech = await startProduct({ service: 'stt', model: createFakeSpeechModel() });
  passports = await startProduct({
    service: 'passports',
    env: { PASSPORTS_API_KEYS: `admin:${ADMIN_KEY}`, PASSPORTS_TOKEN_LIMIT_PER_MINUTE: '0' },
    model: createFakeExtractionModel(),
  });
}, 120_000);
afterAll(async () => {
  await photos.stop();
  await speech.stop();
  await passports.stop();
  await rm(folder, { recursive: true });
});

const PROGRESS = /^\[[#.]{30}\] \d+ of \d+.*\n/gm;
async function withoutProgress(...command: Parameters<typeof runAssay>) {
  const { err, ...printed } = await runAssay(...command);
  return { ...printed, err: err.replace(PROGRESS, '') };
}
const assay = (args: readonly string[], interrupt?: AbortSignal) => withoutProgress(args, { cwd: folder, interrupt });
const at = (product: Product) => ['--server', product.url];

async function photoFolder(name: string, count: number): Promise<string> {
  await mkdir(join(folder, name, 'north side'), { recursive: true });
  for (let i = 1; i <= count; i++) await copyFile(WALL, join(folder, name, i % 2 ? '' : 'north side', `${i}.jpg`));
  return name;
}

const countTasks = async ({ database }: Product) =>
  (await database.db.query<{ n: number }>('select count(*)::int as n from tasks')).rows[0]!.n;

const readTable = async (path: string): Promise<Record<string, string>[]> =>
  parse(await readFile(join(folder, path)), { columns: true, bom: true });

describe('assay predict FOLDER', () => {
  const predict = (name: string, output: string, interrupt?: AbortSignal) =>
    assay(['predict', name, ...at(photos), '--token', TOKEN, '--output', output], interrupt);

  it('writes a row per photo, with the reason of each failure, and tries failures again', async () => {
    const name = await photoFolder('bridge', 3);
    await writeFile(join(folder, name, 'broken.jpg'), 'no image');
    await writeFile(join(folder, name, 'empty.jpg'), '');
    await writeFile(join(folder, name, 'notes.txt'), 'no photo');
    const { code, out, err } = await predict(name, 'bridge.csv');
    expect({ code, out }, err).toEqual({
      code: 1,
      out: '3 done, 2 failed; fix the causes and run the same command again: bridge.csv\n',
    });
    expect(err).toMatch(/^broken\.jpg: .* \(UNSUPPORTED_MEDIA_TYPE\)$/m);
    const rows = await readTable('bridge.csv');
    expect(rows.map(({ name }) => name)).toEqual(
      ['1.jpg', '3.jpg', 'broken.jpg', 'empty.jpg', 'north side/2.jpg'].map((path) => `bridge/${path}`),
    );
    expect(rows[0]).toMatchObject({
      task_id: expect.stringMatching(/^\w{26}$/),
      status: 'done',
      surface: RESULT.surface,
      masters: 'cracking; sound',
      defects: 'crack',
      defect_confidences: '0.900',
      familiarity: '',
      warnings: '',
      error: '',
    });
    expect(rows[3]).toMatchObject({ task_id: '', status: 'failed', error_code: 'UNREADABLE' });
    expect(rows[3]!['error']).toMatch(/is empty\./);
    const state = (await photos.call(`/result/${rows[4]!['task_id']}`)).body.data;
    expect(state).toMatchObject({ file_name: 'bridge/north side/2.jpg', result: { surface: RESULT.surface } });
    const accepted = /"task":"\w{26}","estimated_wait_seconds":\d+,"accepted_at_ms":\d{13}\}/g;
    expect((await readFile(join(folder, 'bridge.csv.progress'), 'utf8')).match(accepted)).toHaveLength(3);

    await copyFile(WALL, join(folder, name, 'broken.jpg'));
    await rm(join(folder, name, 'empty.jpg'));
    const before = runs;
    expect(await predict(name, 'bridge.csv')).toEqual({ code: 0, out: '4 done: bridge.csv\n', err: '' });
    expect(runs - before).toBe(1);
  });

  it('creates tasks with a project and tags, and new ones for another project', { tags: ['full'] }, async () => {
    const name = await photoFolder('pier', 1);
    const grouped = (project: string) =>
      assay([
        ...['predict', name, ...at(photos), '--token', TOKEN, '--output', 'pier.csv'],
        ...['--project', project, '--tag', 'north', '--tag', 'pier, 3'],
      ]);
    for (const project of ['A', 'A', 'B']) expect((await grouped(project)).out).toBe('1 done: pier.csv\n');
    const { rows } = await photos.database.db.query(
      `select input -> 'grouping' as grouping from tasks where input -> 'grouping' is not null order by id`,
    );
    const tags = ['north', 'pier, 3'];
    expect(rows).toEqual([{ grouping: { project: 'A', tags } }, { grouping: { project: 'B', tags } }]);
  });

  it('goes on where an interrupted run stopped, and creates no task twice', { tags: ['full'] }, async () => {
    const name = await photoFolder('facade', 24);
    pauseMs = 300;
    const before = runs;
    const tasksBefore = await countTasks(photos);
    const interrupt = new AbortController();
    const interrupted = predict(name, 'facade.jsonl', interrupt.signal);
    await vi.waitFor(() => expect(runs - before).toBeGreaterThan(6), { timeout: 30_000 });
    interrupt.abort();
    expect(await interrupted).toEqual({
      code: 130,
      out: '',
      err: expect.stringMatching(/^Interrupted; \d+ of 24 finished\. Run the same command again to continue\.\n$/),
    });
    pauseMs = 0;
    const args = ['predict', name, ...at(photos), '--token', TOKEN, '--output', 'facade.jsonl'];
    const { err, ...printed } = await runAssay(args, { cwd: folder });
    expect(printed).toEqual({ code: 0, out: '24 done: facade.jsonl\n' });
    expect(err.match(PROGRESS)).toHaveLength(9);
    expect((await countTasks(photos)) - tasksBefore).toBe(24);
    const lines = (await readFile(join(folder, 'facade.jsonl'), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toHaveLength(24);
    expect(JSON.parse(lines[0]!)).toMatchObject({ file: 'facade/1.jpg', result: { surface: RESULT.surface } });
  });

  it('waits for the rate limit', { tags: ['full'], timeout: 240_000 }, async () => {
    const limited = await startProduct({ model: createFakeModel(), env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '10' } });
    onTestFinished(() => limited.stop());
    const name = await photoFolder('yard', 6);
    const { code, out, err } = await assay(['predict', name, ...at(limited), '--token', TOKEN, '--output', 'yard.csv']);
    expect({ code, out }, err).toEqual({ code: 0, out: '6 done: yard.csv\n' });
  });

  it.each([
    [['--no-wait', '--output', 'a.csv'], 'A folder cannot be used with --no-wait or --json.'],
    [[], 'A folder needs --output: photos.csv or photos.jsonl.'],
    [['--output', 'a.xlsx'], 'A folder needs --output: photos.csv or photos.jsonl, not a.xlsx.'],
    [['--output', 'folder.csv'], 'folder.csv is a folder.'],
    [['--output', 'a.csv', '--concurrency', '0'], /Use 1 to 64\./],
  ])('rejects %j in one line', { tags: ['full'] }, async (options, message) => {
    const name = await photoFolder('few', 1);
    await mkdir(join(folder, 'folder.csv'), { recursive: true });
    const { code, out, err } = await assay(['predict', name, ...at(photos), '--token', TOKEN, ...options]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('reports an unreachable server at once and again when it gives up', { tags: ['full'] }, async () => {
    const name = await photoFolder('few', 1);
    const options = ['--output', 'a.csv', '--server', 'http://127.0.0.1:1', '--token', TOKEN];
    const { code, out, err } = await assay(['predict', name, ...options]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    const unreachable = 'http://127\\.0\\.0\\.1:1 cannot be reached.*';
    expect(err).toMatch(new RegExp(`^Request failed, retrying: ${unreachable}\\n${unreachable}\\n$`));
  });

  it('rejects a folder without photos', { tags: ['full'] }, async () => {
    await mkdir(join(folder, 'texts'));
    await writeFile(join(folder, 'texts', 'a.txt'), 'text');
    const { code, err } = await predict('texts', 'texts.csv');
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringMatching(/^texts has no photos \(\.jpg, /) });
  });
});

it('assay transcribe FOLDER writes a transcript per recording, or a table of the texts', {
  tags: ['full'],
}, async () => {
  await mkdir(join(folder, 'calls', 'monday'), { recursive: true });
  await copyFile(NOTE, join(folder, 'calls', 'a.mp3'));
  await copyFile(NOTE, join(folder, 'calls', 'monday', 'b.mp3'));
  const transcribe = (output: string, ...options: string[]) =>
    assay(['transcribe', 'calls', ...at(speech), '--token', TOKEN, '--output', output, '--format', 'srt', ...options]);
  expect(await transcribe('texts-out')).toEqual({ code: 0, out: '2 done: texts-out\n', err: '' });
  const readB = () => readFile(join(folder, 'texts-out', 'monday', 'b.srt'), 'utf8');
  const tasks = async () =>
    new Set((await readFile(join(folder, 'texts-out', '.assay-srt.progress'), 'utf8')).match(/"task":"\w+"/g)).size;
  expect(await readB()).toContain(' --> ');
  expect(await tasks()).toBe(2);

  await rm(join(folder, 'texts-out', 'monday', 'b.srt'));
  expect(await transcribe('texts-out')).toMatchObject({ code: 0 });
  expect(await readB(), 'a deleted file is written again').toContain(' --> ');
  expect(await tasks()).toBe(2);
  expect(await transcribe('texts-out', '--language', 'en')).toMatchObject({ code: 0 });
  expect(await tasks(), 'another language needs other tasks').toBe(4);

  expect(await transcribe('texts.csv')).toEqual({
    code: 2,
    out: '',
    err: 'A table of transcripts has no --format.\n',
  });
  const table = await assay(['transcribe', 'calls', ...at(speech), '--token', TOKEN, '--output', 'texts.csv']);
  expect(table).toEqual({ code: 0, out: '2 done: texts.csv\n', err: '' });
  expect(await readTable('texts.csv')).toMatchObject([
    { name: 'calls/a.mp3', transcription: TRANSCRIPT.transcription, error: '' },
    { name: 'calls/monday/b.mp3' },
  ]);
});

it('assay extract FOLDER reads each PDF, and the images of a subfolder as one document', {
  tags: ['full'],
}, async () => {
  await mkdir(join(folder, 'shelf', 'scans'), { recursive: true });
  await writeFile(join(folder, 'shelf', 'a.pdf'), createPdf().bytes);
  for (const page of ['1.jpg', '2.jpg']) await copyFile(WALL, join(folder, 'shelf', 'scans', page));
  const extract = (...options: string[]) =>
    withoutProgress(['extract', 'shelf', ...at(passports), ...options], {
      cwd: folder,
      env: { ASSAY_API_KEY: ADMIN_KEY },
    });
  expect(await extract('--output', 'shelf.csv')).toEqual({ code: 0, out: '2 done: shelf.csv\n', err: '' });
  const rows = await readTable('shelf.csv');
  expect(rows.map(({ name }) => name)).toEqual(['shelf/a.pdf', 'shelf/scans']);
  expect(Object.keys(rows[0]!)).toContain('general:address');
  expect(await extract('--format', 'xlsx', '--output', 'tables')).toMatchObject({ code: 0, err: '' });
  expect((await readdir(join(folder, 'tables'))).sort()).toEqual(['.assay-xlsx.progress', 'a.xlsx', 'scans.xlsx']);
  expect(await extract('--format', 'pdf', '--output', 'shelf')).toEqual({
    code: 2,
    out: '',
    err: 'With --format pdf, --output must be another folder: the next run would read its PDFs.\n',
  });
});

describe('assay transcribe FOLDER', () => {
  const transcribe = (name: string, ...options: string[]) =>
    assay(['transcribe', name, ...at(speech), '--token', TOKEN, '--output', `${name}-out`, ...options]);
  const recordingFolder = async (name: string) => {
    await mkdir(join(folder, name));
    await copyFile(NOTE, join(folder, name, 'a.mp3'));
    return name;
  };

  it('starts again with another language', { tags: ['full'] }, async () => {
    const name = await recordingFolder('languages');
    expect(await transcribe(name, '--language', 'en')).toMatchObject({ code: 0 });
    const before = await countTasks(speech);
    expect(await transcribe(name, '--language', 'en')).toMatchObject({ code: 0 });
    expect(await countTasks(speech)).toBe(before);
    expect(await transcribe(name, '--language', 'ru')).toMatchObject({ code: 0 });
    expect(await countTasks(speech)).toBe(before + 1);
  });

  it('writes a file that could not be written from the same task', { tags: ['full'] }, async () => {
    const name = await recordingFolder('blocked');
    const output = join(folder, `${name}-out`, 'a.txt');
    await mkdir(output, { recursive: true });
    const before = await countTasks(speech);
    const { code, err } = await transcribe(name);
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/^a\.mp3: .*EISDIR.* \(UNWRITABLE\)/) });
    await rm(output, { recursive: true });
    expect(await transcribe(name)).toMatchObject({ code: 0 });
    expect(await readFile(output, 'utf8')).not.toBe('');
    expect(await countTasks(speech)).toBe(before + 1);
  });
});

describe('assay extract FOLDER --format', () => {
  const extract = (name: string, ...options: string[]) =>
    withoutProgress(['extract', '.', ...at(passports), ...options], {
      cwd: join(folder, name),
      env: { ASSAY_API_KEY: ADMIN_KEY },
    });

  it('names the document of the images in the current folder after it', { tags: ['full'] }, async () => {
    await mkdir(join(folder, 'site', 'site'), { recursive: true });
    for (const page of ['1.jpg', '2.jpg', 'site/1.jpg']) await copyFile(WALL, join(folder, 'site', page));
    expect(await extract('site', '--format', 'xlsx', '--output', 'tables')).toMatchObject({
      code: 0,
      err: '2 images become one document, site.images: 1.jpg, 2.jpg. If they are of several passports, give each a subfolder.\n',
    });
    const files = await readdir(join(folder, 'site', 'tables'));
    expect(files.sort()).toEqual(['.assay-xlsx.progress', 'site.images.xlsx', 'site.xlsx']);
  });

  it('reads a folder of more images than one request may have, and names the limit of a document', {
    tags: ['full'],
  }, async () => {
    const png = sharp({ create: { width: 8, height: 8, channels: 3, background: '#fff' } }).png();
    const page = await png.toBuffer();
    const addPages = async (name: string, count: number) => {
      await mkdir(join(folder, 'tower', name), { recursive: true });
      for (let i = 1; i <= count; i++) await writeFile(join(folder, 'tower', name, `${i}.png`), page);
    };
    await addPages('a', 51);
    expect(await extract('tower', '--output', 'documents.csv')).toMatchObject({ code: 0, err: '' });
    await addPages('b', 101);
    await addPages('c', 101);
    const { code, err } = await extract('tower', '--output', 'documents.csv');
    // The images of the one do not count towards those of the other.
    expect({ code, lines: err.trim().split('\n').sort() }).toEqual({
      code: 1,
      lines: ['b', 'c'].map((name) => expect.stringMatching(`^${name}: .*at most 100 images`)),
    });
  });

  it('reads many folders of images although each new document deletes the uploaded images of the API key', {
    tags: ['full'],
  }, async () => {
    const names = Array.from({ length: 9 }, (_, index) => `flat-${index + 1}`);
    const create = async (house: string) => {
      for (const name of names) {
        await mkdir(join(folder, house, name), { recursive: true });
        for (const page of ['1.jpg', '2.jpg']) await copyFile(WALL, join(folder, house, name, page));
      }
      return extract(house, '--output', 'documents.csv');
    };
    expect(await Promise.all([create('house-1'), create('house-2')])).toMatchObject([
      { code: 0, err: '' },
      { code: 0, err: '' },
    ]);
  });

  it('does not read its own files again', { tags: ['full'] }, async () => {
    await mkdir(join(folder, 'archive'));
    await writeFile(join(folder, 'archive', 'a.pdf'), createPdf().bytes);
    const run = () => extract('archive', '--format', 'pdf', '--output', 'read');
    expect(await run()).toMatchObject({ code: 0, out: '1 done: read\n' });
    expect(await run()).toMatchObject({ code: 0, out: '1 done: read\n' });
  });
});
