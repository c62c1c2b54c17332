import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { verifyWebhook } from '../../src/client/index.ts';
import { failure } from '../../src/services/passports/failures.ts';
import { TaskFailure } from '../../src/tasks/task.ts';
import { archiveOf } from '../support/archive.ts';
import { ADMIN_KEY, createFakeExtractionModel, createPdf } from '../support/passports.ts';
import { freePort, REPOSITORY } from '../support/processes/assay.ts';
import { runAssay } from '../support/processes/run-assay.ts';
import { createFakeModel, type Product, RESULT, startProduct, TOKEN } from '../support/product.ts';
import { startReceiver } from '../support/receiver.ts';
import { createFakeSpeechModel, TRANSCRIPT } from '../support/speech/fake-model.ts';

// These tests start real processes.
vi.setConfig({ testTimeout: 120_000 });

const WALL = join(REPOSITORY, 'examples/wall.jpg');
const NOTE = join(REPOSITORY, 'examples/voice-note.mp3');
const REVIEWER = 'a-reviewer-of-the-photos';
let folder: string;

/** Runs the command in an empty folder without configuration. */
const assay = (args: readonly string[], env: Record<string, string> = {}, interrupt?: AbortSignal) =>
  runAssay(args, { cwd: folder, env, interrupt });

let photos: Product;
let speech: Product;
let passports: Product;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-commands-'));
  photos = await startProduct({ model: createFakeModel(), env: { DEFECTOSCOPY_REVIEWER_TOKENS: REVIEWER } });
  speech = await startProduct({ service: 'stt', model: createFakeSpeechModel() });
  const reading = createFakeExtractionModel();
  let read = 0;
  passports = await startProduct({
    service: 'passports',
    env: { PASSPORTS_API_KEYS: `admin:${ADMIN_KEY}`, PASSPORTS_TOKEN_LIMIT_PER_MINUTE: '0' },
    model: {
      ...reading,
      run: (job) => (++read === 3 ? Promise.reject(new TaskFailure(failure('NO_FIELDS_FOUND'))) : reading.run(job)),
    },
  });
  await assay(['--version']);
}, 120_000);
afterAll(async () => {
  await photos.stop();
  await speech.stop();
  await passports.stop();
  await rm(folder, { recursive: true });
});

const at = (product: Product) => ['--server', product.url];

describe('assay train --from-corrections', () => {
  const train = (args: readonly string[]) =>
    assay(['train', ...args], { DATABASE_URL: photos.database.url, DATA_DIR: folder, APP_ENV: 'test' });

  it('names the number of corrections that it needs', { tags: ['full'] }, async () => {
    const { code, out, err } = await train(['--from-corrections']);
    expect(code).not.toBe(0);
    expect(out).toContain('Corrected photos: 0.');
    expect(err).toContain('Too few corrections: 0 photos for training and 0 held back');
  });

  it.each([
    [['--from-corrections', '/photos'], 'leave out the folder and --anomaly'],
    [[], 'State a folder of images, or use --from-corrections.'],
  ])('rejects the arguments %j', { tags: ['full'] }, async (args, message) => {
    const { code, err } = await train(args);
    expect(code).not.toBe(0);
    expect(err).toContain(message);
  });
});

describe('assay events', () => {
  it('lists the stored events as text and, with --json, as lines that --after continues', {
    tags: ['full'],
  }, async () => {
    await photos.waitForResult(await photos.predict());
    const id = await photos.predict();
    await photos.waitForResult(id);
    const { code, out, err } = await assay(['events', ...at(photos), '--token', TOKEN]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.trim().split('\n');
    expect(lines.at(-1)).toMatch(
      new RegExp(`^\\d{4}-\\S+Z  defectoscopy\\.result\\.terminal  ${id}  done  evt_[\\w-]{27}$`),
    );
    const before = lines.at(-2)!.split('  ').at(-1)!;
    const json = await assay(['events', ...at(photos), '--json', '--after', before], { ASSAY_TOKEN: TOKEN });
    expect(
      json.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ task_id: id, status: 'done' }]);
  });

  it('stops following when the reader of its output ends', { tags: ['full'] }, async () => {
    const main = join(REPOSITORY, 'dist/main.js');
    const command = [process.execPath, main, 'events', '--follow', ...at(photos), '--token', TOKEN];
    let over = false;
    const piped = promisify(execFile)('sh', ['-c', '"$0" "$@" | head -n 1', ...command], { cwd: folder }).finally(
      () => {
        over = true;
      },
    );
    while (!over) await photos.waitForResult(await photos.predict());
    expect(await piped).toMatchObject({ stderr: '' });
  });

  it('follows new events until it is interrupted', { tags: ['full'] }, async () => {
    const stop = new AbortController();
    const following = assay(['events', '--follow', ...at(photos), '--token', TOKEN, '--json'], {}, stop.signal);
    const sumOf = async (metric: string, labels: object = {}) => {
      const { values } = await photos.gateway.metrics.registry.getSingleMetric(metric)!.get();
      const matching = values.filter((each) => Object.entries(labels).every(([k, v]) => each.labels[k] === v));
      return matching.reduce((sum, { value }) => sum + value, 0);
    };
    const answered = () => sumOf('assay_http_requests_total', { route: '/events' });
    const open = () => sumOf('assay_event_feeds_open');
    await expect.poll(open, { timeout: 30_000 }).toBe(1);
    const before = await answered();
    const id = await photos.predict();
    await photos.waitForResult(id);
    // The next request follows when the event is printed.
    await expect.poll(answered).toBe(before + 1);
    await expect.poll(open).toBe(1);
    stop.abort();
    const { code, out } = await following;
    expect([
      code,
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).task_id),
    ]).toEqual([0, [id]]);
  });

  it('reports an unknown id', { tags: ['full'] }, async () => {
    const { code, err } = await assay(['events', ...at(photos), '--token', TOKEN, '--after', 'evt_1']);
    expect(code).toBe(2);
    expect(err).toContain('not a cursor');
  });
});

describe('assay models', () => {
  it('photos lists the versions of a server with their figures', { tags: ['full'] }, async () => {
    const { code, out } = await assay(['models', 'photos', ...at(photos), '--token', TOKEN]);
    expect(code).toBe(0);
    expect(out).toBe('1.0.0  default  defects 85.9 % (test images: 1263)\nown-2\n');
  });

  it('promote, shadow and rollback change the deployed versions, and report why they cannot', {
    tags: ['full'],
  }, async () => {
    const run = async (...args: string[]) => {
      const { code, out, err } = await assay(['models', ...args, ...at(photos), '--token', REVIEWER]);
      return code === 0 ? out : err;
    };
    expect(await run('rollback')).toContain('NO_EARLIER_VERSION');
    expect(await run('promote', 'nope')).toContain('The version nope is not installed.');
    expect(await run('promote', 'own-2')).toBe('default: own-2  shadow: none\n');
    expect(await run('shadow', '1.0.0')).toBe('default: own-2  shadow: 1.0.0\n');
    expect(await run('shadow', 'off')).toBe('default: own-2  shadow: none\n');
    expect(await run('rollback')).toBe('default: 1.0.0  shadow: none\n');
  });
});

describe('assay models try', () => {
  const options = { tags: ['full'], timeout: 300_000 };
  it('prints the word errors of a model, and skipped and broken recordings', options, async () => {
    const clips = await mkdtemp(join(tmpdir(), 'assay-clips-'));
    onTestFinished(() => rm(clips, { recursive: true }));
    await writeFile(join(clips, 'broken.mp3'), 'not a recording');
    await writeFile(join(clips, 'broken.txt'), 'What was said.');
    await writeFile(join(clips, 'other.mp3'), 'another');
    const env = { STT_MODEL: 'moonshine-tiny' };
    const { code, out, err } = await assay(['models', 'try', 'moonshine-tiny', '--folder', clips], env);
    expect(code).toBe(1);
    expect(out).toMatch(/^ +moonshine-tiny \(current\)\nWrong words, English +\d+\.\d % \(\d+ of \d+\)\n/);
    expect(out).toMatch(/\nbroken\.mp3 +failed\n$/);
    expect(err).toContain('broken.mp3 (moonshine-tiny): The file is not an audio recording');
    expect(err).toMatch(/Skipped without a text file beside them: 1 \(other\.mp3\)\.\n$/);
  });
});

describe('assay timeline', () => {
  const at = () => ['--server', photos.url, '--token', TOKEN];

  it('shows what happened to a task, as lines or as JSON', { tags: ['full'] }, async () => {
    const id = await photos.predict();
    await photos.waitForResult(id);
    const { code, out } = await assay(['timeline', id, ...at()]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^ +0\.000 s {2}accepted\n +0\.000 s {2}queued\n +\S+ s {2}claimed 1 {2}\S+\n +\S+ s {2}ended {2}done\n$/,
    );
    const json = JSON.parse((await assay(['timeline', id, '--json', ...at()])).out);
    expect(json).toMatchObject({ task_id: id, status: 'done', timeline: expect.any(Array) });
    const unknown = await assay(['timeline', 'no-such-task', ...at()]);
    const message =
      /^\S+ \(defectoscopy\) has no task no-such-task \(TASK_NOT_FOUND\)\..* --service stt or --service passports\.\n$/;
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe('assay batches', () => {
  const at = (product: Product, service: string) => ['--server', product.url, '--token', TOKEN, '--service', service];

  it('submits a file, shows its state and writes its results', { tags: ['full'] }, async () => {
    await writeFile(join(folder, 'items.csv'), 'url,language\nhttps://storage.example.com/a.mp3,en\n');
    const options = at(speech, 'stt');
    const submitted = await assay(['batches', 'submit', 'items.csv', '--wait', ...options]);
    expect(submitted).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\w{26} {2}completed {2}total 1 {2}done 1 {2}items\.csv\n$/),
    });
    const id = submitted.out.slice(0, 26);
    expect((await assay(['batches', ...options])).out).toBe(submitted.out);
    await writeFile(join(folder, 'mixed.csv'), 'url,metadata\nhttps://storage.example.com/a.mp3,\nnone,{\n');
    const { err } = await assay(['batches', 'submit', 'mixed.csv', ...options]);
    expect(err).toMatch(
      /^Invalid items: 1 of 2\n {2}line 3: The cell in the column metadata is not valid JSON\.\n.* returned an error: .* Repeat with --skip-invalid to leave them out\. \(VALIDATION_ERROR\)\n$/,
    );
    await writeFile(join(folder, 'wall.png'), 'no list');
    expect(await assay(['batches', 'submit', 'wall.png', ...options])).toMatchObject({
      code: 2,
      err: expect.stringContaining('wall.png is not a list of items'),
    });
    // `assay batches | head -n 0`: the reader has ended before the first line.
    const command = [process.execPath, join(REPOSITORY, 'dist/main.js'), 'batches', ...options];
    const piped = promisify(execFile)('sh', ['-c', '"$0" "$@" | exec true', ...command], { cwd: folder });
    expect(await piped).toMatchObject({ stderr: '' });
    expect(JSON.parse((await assay(['batches', 'status', id, '--json', ...options])).out)).toMatchObject({
      batch_id: id,
    });
    const item = expect.stringMatching(/^1 {2}\w{26} {2}done\n$/);
    expect((await assay(['batches', 'items', id, ...options])).out).toEqual(item);
    expect((await assay(['batches', 'items', id, '--status', 'failed', ...options])).out).toBe('');
    const written = await assay(['batches', 'results', id, '--output', 'results.jsonl', ...options]);
    expect(written).toMatchObject({ code: 0, out: '' });
    expect(JSON.parse(await readFile(join(folder, 'results.jsonl'), 'utf8'))).toMatchObject({
      position: 1,
      result: { data: { status: 'done', result: TRANSCRIPT } },
    });
    expect((await assay(['batches', 'retry', id, ...options])).out).toBe('retried: 0\n');
    expect((await assay(['batches', 'cancel', id, ...options])).out).toBe('cancelled: 0\n');
  });
});

it('assay batches submit repeats a request that is refused with Retry-After, also on this machine', {
  tags: ['full'],
}, async () => {
  const keys: unknown[] = [];
  const server = createServer(({ headers }, response) => {
    keys.push(headers['idempotency-key']);
    if (keys.length < 3) response.writeHead(keys.length === 1 ? 503 : 429, { 'retry-after': '1' }).end();
    else response.writeHead(202).end(JSON.stringify({ ok: true, data: { batch_id: 'b-1' } }));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await writeFile(join(folder, 'one.csv'), 'image_url\nhttps://storage.example.com/a.jpg\n');
  const submit = ['batches', 'submit', 'one.csv', '--server', `http://127.0.0.1:${port}`, '--token', TOKEN];
  const notices = [
    'Request failed, retrying: The service responded with HTTP status 503.',
    'Limit of requests or waiting tasks reached, continuing in 1 s.',
    'Requests succeed again.\n',
  ];
  expect(await assay(submit)).toEqual({ code: 0, out: 'b-1\n', err: notices.join('\n') });
  expect(new Set(keys).size).toBe(1);
});

describe('assay batches submit --wait', () => {
  /** Submits one item to a server that accepts it and answers each read of the batch with the next response. */
  async function submit(...reads: readonly (readonly [status: number, data: object])[]) {
    const left = [[202, {}] as const, ...reads];
    const server = createServer((request, response) => {
      request.resume();
      const [status, data] = left.shift()!;
      response.writeHead(status).end(JSON.stringify({ ok: true, data: { batch_id: 'b-1', total: 1, ...data } }));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    await writeFile(join(folder, 'one.csv'), 'image_url\nhttps://storage.example.com/a.jpg\n');
    return assay(['batches', 'submit', 'one.csv', '--wait', '--server', `http://127.0.0.1:${port}`, '--token', TOKEN]);
  }
  const counts = { queued: 0, processing: 0, done: 0, failed: 0, cancelled: 0 };

  it('waits during an outage, and prints the id of the batch before', { tags: ['full'] }, async () => {
    const done = { status: 'completed', counts: { ...counts, done: 1 }, errors: [] };
    expect(await submit([503, {}], [503, {}], [503, {}], [503, {}], [200, done])).toEqual({
      code: 0,
      out: 'b-1  completed  total 1  done 1\n',
      err: expect.stringMatching(
        /^Waiting for the batch b-1\.\nRequest failed, retrying: .* 503\.\nRequests succeed again\.\n$/,
      ),
    });
  });

  it.each(['failed', 'cancelled'])('exits with status 1 when an item is %s', { tags: ['full'] }, async (state) => {
    const error = { position: 1, task_id: 't-1', error: 'The image is damaged.', error_code: 'IMAGE_CORRUPT' };
    const errors = state === 'failed' ? [error] : [];
    const ended = { status: 'completed', counts: { ...counts, [state]: 1 }, errors };
    expect(await submit([200, ended])).toMatchObject({
      code: 1,
      out: expect.stringMatching(new RegExp(`^b-1 {2}completed {2}total 1 {2}${state} 1\n`)),
    });
  });
});

describe('The output of a command', () => {
  /** Runs a command with its output redirected; its standard error and exit status. */
  const redirect = async (args: readonly string[], target: string) => {
    const script = `("$0" "$@"; echo "status $?" >&2) ${target}`;
    const command = [process.execPath, join(REPOSITORY, 'dist/main.js'), ...args];
    return (await promisify(execFile)('sh', ['-c', script, ...command], { cwd: folder })).stderr;
  };

  it('hides no later error when its reader ends', async () => {
    const delivery = {
      delivery_id: 'whd_1',
      task_id: 't',
      url: 'https://a.example.com/',
      state: 'failed',
      attempt_log: [],
    };
    const pages = createServer(({ url }, response) => {
      const isFirst = !url!.includes('before=');
      const body = isFirst
        ? { ok: true, data: { deliveries: [delivery], next: 'more' } }
        : { ok: false, error: { code: 'NO', message: 'Not now.' } };
      response.writeHead(isFirst ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(pages, 'listening');
    onTestFinished(() => void pages.close());
    const url = `http://127.0.0.1:${(pages.address() as { port: number }).port}`;
    const stderr = await redirect(['deliveries', '--server', url, '--token', TOKEN], '| exec true');
    expect(stderr).toBe(`${url} returned an error: Not now. (NO)\nstatus 2\n`);
  });

  it.runIf(existsSync('/dev/full'))('reports in one line that it cannot be written', { tags: ['full'] }, async () => {
    const command = ['deliveries', 'redeliver', '--since', new Date().toISOString(), ...at(photos), '--token', TOKEN];
    const stderr = await redirect(command, '> /dev/full');
    expect(stderr).toMatch(/^The output cannot be written: .*ENOSPC.*\nstatus 2\n$/);
  });
});

describe('assay deliveries', () => {
  const at = () => ['--server', photos.url, '--token', TOKEN];

  it('lists deliveries with their attempts, and redelivers one task or all failed since a time', {
    tags: ['full'],
  }, async () => {
    const receiver = await startReceiver((n) => (n === 0 ? 410 : 204));
    onTestFinished(() => receiver.close());
    const id = await photos.predict({ webhook_url: receiver.url });
    const since = new Date(Date.now() - 60_000).toISOString();
    await receiver.waitForRequests(1);
    await expect
      .poll(async () => (await photos.call(`/result/${id}`)).body.data.webhook.state, { timeout: 20_000 })
      .toBe('failed');
    const failed = await assay(['deliveries', '--state', 'failed', ...at()]);
    expect({ code: failed.code, err: failed.err }).toEqual({ code: 0, err: '' });
    expect(failed.out).toMatch(
      new RegExp(`^whd_\\w+  ${id}  failed  ${receiver.url}\\n  1  \\S+Z  410  gone  \\d+ ms\\n$`),
    );
    const all = await assay(['deliveries', 'redeliver', '--since', since, ...at()]);
    expect([all.code, all.out]).toEqual([0, 'Queued for redelivery: 1\n']);
    await receiver.waitForRequests(2);
    const poll = async () => JSON.parse((await assay(['deliveries', '--task', id, '--json', ...at()])).out).state;
    await expect.poll(poll, { timeout: 20_000 }).toBe('delivered');
    expect((await assay(['deliveries', 'redeliver', id, '--json', ...at()])).out).toBe('{"redelivered":1}\n');
    await receiver.waitForRequests(3);
  });

  it('sends a test event and reports a failed one with exit status 1', { tags: ['full'] }, async () => {
    const receiver = await startReceiver((n) => (n === 0 ? 204 : 500));
    onTestFinished(() => receiver.close());
    const good = await assay(['deliveries', 'test', receiver.url, ...at()]);
    expect([good.code, good.out]).toEqual([0, expect.stringMatching(/^Delivered {2}204 {2}\d+ ms\n$/)]);
    const bad = await assay(['deliveries', 'test', receiver.url, ...at()]);
    expect([bad.code, bad.out]).toEqual([1, expect.stringMatching(/^Failed {2}500 {2}http_status {2}\d+ ms\n$/)]);
  });

  it('lists failing and paused receivers, and resumes one', { tags: ['full'] }, async () => {
    const receiver = await startReceiver(() => 410);
    onTestFinished(() => receiver.close());
    const { origin } = new URL(receiver.url);
    await photos.predict({ webhook_url: receiver.url });
    const list = async (...more: string[]) => (await assay(['deliveries', 'endpoints', ...more, ...at()])).out;
    await expect.poll(list, { timeout: 20_000 }).toContain(`${origin}  failing  failing since 2`);
    await photos.database.db.query('update webhook_endpoints set paused_at = now() where origin = $1', [origin]);
    expect(await list('--json')).toContain(`{"endpoint":"${origin}","state":"paused"`);
    const resume = async (...more: string[]) =>
      (await assay(['deliveries', 'resume', receiver.url, ...more, ...at()])).out;
    expect(await resume()).toBe('Resumed\n');
    expect(await resume()).toBe('It was not paused\n');
    expect(await resume('--json')).toBe('{"resumed":false}\n');
  });

  it('states that there are no deliveries or failing receivers, without output for programs', {
    tags: ['full'],
  }, async () => {
    const deliveries = await assay(['deliveries', '--task', 'no-such-task', '--json', ...at()]);
    expect(deliveries).toMatchObject({ code: 0, out: '', err: 'No deliveries.\n' });
    await photos.database.db.query('delete from webhook_endpoints');
    const endpoints = await assay(['deliveries', 'endpoints', ...at()]);
    expect(endpoints).toMatchObject({ code: 0, out: '', err: 'No receiver fails.\n' });
  });

  it('reports wrong arguments', { tags: ['full'] }, async () => {
    const none = await assay(['deliveries', 'redeliver', ...at()]);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('--since')]);
    for (const since of ['yesterday', '2026-02-30', '2026-06-31T08:00Z']) {
      const time = await assay(['deliveries', '--since', since, ...at()]);
      expect([time.code, time.err]).toEqual([2, expect.stringContaining('2026-01-31T08:00Z')]);
    }
    const unknown = await assay(['deliveries', 'redeliver', 'no-such-task', ...at()]);
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('TASK_NOT_FOUND')]);
  });
});

describe('assay listen', () => {
  it('forwards results with a signature like that of a webhook until it is interrupted', {
    tags: ['full'],
  }, async () => {
    const receiver = await startReceiver((n) => (n === 0 ? 500 : 204));
    onTestFinished(() => receiver.close());
    const { next } = (await photos.call('/events?after=latest')).body.data;
    const stop = new AbortController();
    const args = ['listen', '--forward', receiver.url, '--server', photos.url, '--token', TOKEN, '--after', next];
    const listening = assay(args, {}, stop.signal);
    const ids = [await photos.predict(), await photos.predict()];
    await receiver.waitForRequests(2);
    await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(2);
    stop.abort();
    const { code, out, err } = await listening;
    const secret = /whsec_\S+/.exec(err)![0];
    const tasks: string[] = [];
    for (const { body, headers } of receiver.received) {
      const { task, deliveryId, event } = await verifyWebhook(body, headers, { secret });
      expect([event, deliveryId]).toEqual(['defectoscopy.result.terminal', `whd_${task.task_id}`]);
      expect(body).toBe((await photos.call(`/result/${task.task_id}`)).text);
      tasks.push(task.task_id);
    }
    expect(tasks.sort()).toEqual(ids.sort());
    expect(code).toBe(0);
    expect(out).toMatch(/^\S+Z {2}\w+ {2}done {2}500 {2}\d+ ms\n/);
  });

  it('reports an address that is not a URL', { tags: ['full'] }, async () => {
    const { code, err } = await assay(['listen', '--forward', 'localhost', '--server', photos.url, '--token', TOKEN]);
    expect([code, err]).toEqual([2, expect.stringContaining('--forward localhost')]);
  });
});

describe('assay predict', () => {
  it('waits by default, prints the result as text, and writes nothing to stderr', async () => {
    const { code, out, err } = await assay(['predict', WALL, ...at(photos), '--token', TOKEN, '--wait']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^surface {4}concrete_wall\ngroups +cracking +█+·* +90\.0 %\n/);
    expect(out).toMatch(/\ndefects +crack +█+·* +90\.0 %\n$/);
  });

  it('prints one JSON object with --json, also for an image URL, and writes it to a file with --output', {
    tags: ['full'],
  }, async () => {
    const reference = 'https://storage-1.example.com/photo.jpg';
    const args = [reference, ...at(photos), '--json', '--priority', 'batch', '--model-version', 'own-2'];
    const { code, out } = await assay(['predict', ...args], { ASSAY_TOKEN: TOKEN });
    expect(code).toBe(0);
    const { model_version: _, ...result } = RESULT;
    expect(JSON.parse(out)).toMatchObject({ status: 'done', result });

    const file = join(folder, 'photo.json');
    const quiet = await assay(['predict', ...args, '--output', file], { ASSAY_TOKEN: TOKEN });
    expect(quiet).toEqual({ code: 0, out: '', err: '' });
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ status: 'done' });
  });

  it('finds the local server and its token, and returns immediately with --no-wait', { tags: ['full'] }, async () => {
    const { port } = new URL(photos.url);
    const credentials = join(folder, 'data', 'credentials');
    await mkdir(credentials, { recursive: true });
    await writeFile(join(credentials, 'defectoscopy_api_tokens'), TOKEN);
    const { code, out } = await assay(['predict', WALL, '--no-wait', '--json'], { DEFECTOSCOPY_PORT: port });
    expect(code).toBe(0);
    const accepted = JSON.parse(out);
    expect(accepted).toMatchObject({ status: 'queued', estimated_wait_seconds: 90 });
    expect(await photos.waitForResult(accepted.task_id)).toMatchObject({ status: 'done' });
  });

  it('prints only the task id with --no-wait', { tags: ['full'] }, async () => {
    const { code, out } = await assay(['predict', WALL, ...at(photos), '--no-wait'], { ASSAY_TOKEN: TOKEN });
    expect(code).toBe(0);
    expect(out).toMatch(/^[0-9A-Z]{26}\n$/);
    expect(await photos.waitForResult(out.trim())).toMatchObject({ status: 'done' });
  });

  it('exits with status 1 when the task fails', { tags: ['full'] }, async () => {
    const withoutWorker = await startProduct();
    onTestFinished(() => withoutWorker.stop());
    const waiting = assay(['predict', WALL, ...at(withoutWorker), '--token', TOKEN, '--json']);
    let id: string | undefined;
    await vi.waitFor(async () => {
      const { rows } = await withoutWorker.database.db.query<{ id: string }>('select id from tasks');
      id = rows[0]!.id;
    }, 30_000);
    await withoutWorker.call(`/result/${id}/cancel`, { method: 'POST' });
    const { code, out, err } = await waiting;
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ task_id: id, status: 'failed', error_code: 'CANCELLED' });
    expect(err).toBe(`The task ${id} has failed: Cancelled by client (CANCELLED)\n`);
  });

  it('exits with status 130 on an interrupt while the task continues', { tags: ['full'] }, async () => {
    const withoutWorker = await startProduct();
    onTestFinished(() => withoutWorker.stop());
    const interrupt = new AbortController();
    const waiting = assay(['predict', WALL, ...at(withoutWorker), '--token', TOKEN], {}, interrupt.signal);
    const count = async () => (await withoutWorker.database.db.query('select id from tasks')).rows.length;
    await vi.waitFor(async () => expect(await count()).toBe(1), 30_000);
    interrupt.abort();
    expect(await waiting).toEqual({
      code: 130,
      out: '',
      err: expect.stringMatching(/^Interrupted; the task \w{26} continues on the server\. To see the state: .*\n$/),
    });
  });
});

describe('assay transcribe', () => {
  const transcribe = (...args: string[]) => assay(['transcribe', NOTE, ...at(speech), ...args], { ASSAY_TOKEN: TOKEN });

  it('prints the transcript with timestamps', async () => {
    const { code, out, err } = await transcribe('--language', 'en');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(`2.4 s of audio, language en\n   0.3 s  ${TRANSCRIPT.transcription}\n`);
  });

  it('writes every transcript format and the task as JSON', { tags: ['full'] }, async () => {
    const [txt, srt, vtt, json, task] = await Promise.all([
      transcribe('--format', 'txt'),
      transcribe('--format', 'srt', '--output', join(folder, 'note.srt')),
      transcribe('--format', 'vtt'),
      transcribe('--format', 'json'),
      transcribe('--json'),
    ]);
    expect(txt.out).toBe(`${TRANSCRIPT.transcription}\n`);
    expect(srt).toEqual({ code: 0, out: '', err: '' });
    expect(await readFile(join(folder, 'note.srt'), 'utf8')).toMatch(/^1\n00:00:00,300 --> .*\n/);
    expect(vtt.out).toMatch(/^WEBVTT/);
    expect(JSON.parse(json.out)).toEqual(TRANSCRIPT);
    expect(JSON.parse(task.out)).toMatchObject({ status: 'done', result: TRANSCRIPT });
  });
});

describe('assay extract', () => {
  const KEY = { ASSAY_API_KEY: ADMIN_KEY };
  const document = async (name: string) => {
    await writeFile(join(folder, name), createPdf().bytes);
    return name;
  };

  it('prints the fields of documents and photographed pages', async () => {
    const { code, out, err } = await assay(['extract', await document('a.pdf'), WALL, ...at(passports)], KEY);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^wall\.pdf:\nAddress {18}г\. Энск, ул\. Южная, д\. 7 +90 %\n/);
    expect(out).toMatch(/\n\na\.pdf:\nAddress [\s\S]*\nTotal area {15}54\.3 +\n… and 4 table cells\n$/);
  });

  it('exits with status 1 when a document fails, and prints the others', { tags: ['full'] }, async () => {
    const files = [await document('third.pdf'), await document('fourth.pdf')];
    const { code, out, err } = await assay(['extract', ...files, ...at(passports), '--json'], KEY);
    expect(code).toBe(1);
    expect(err).toMatch(/^The task \S+ has failed: The document is readable .* \(NO_FIELDS_FOUND\)\n$/);
    const { documents } = JSON.parse(out);
    expect(new Set(documents.map(({ status }: { status: string }) => status))).toEqual(new Set(['SUCCESS', 'FAILED']));
  });

  it('writes workbooks and reports', { tags: ['full'] }, async () => {
    const book = join(folder, 'book.xlsx');
    const args = [await document('b.pdf'), ...at(passports), '--format', 'xlsx', '--output', book];
    expect(await assay(['extract', ...args], KEY)).toEqual({ code: 0, out: `${book}\n`, err: '' });
    expect((await readFile(book)).subarray(0, 2).toString()).toBe('PK');

    await mkdir(join(folder, 'other'));
    const files = [await document('c.pdf'), await document('d.pdf'), await document('other/c.pdf'), ...at(passports)];
    const reports = await assay(['extract', ...files, '--format', 'pdf', '--output', folder, '--language', 'ru'], KEY);
    const written = ['c.pdf', 'd.pdf', 'c (2).pdf'].map((name) => join(folder, name));
    expect(reports).toMatchObject({ code: 0, out: `${written.join('\n')}\n` });
    for (const path of written) expect((await readFile(path)).length).toBeGreaterThan(1000);
  });
});

it('assay restore exits on an interrupt while it waits for input and leaves no files behind', {
  tags: ['full'],
}, async () => {
  const interrupt = new AbortController();
  const data = join(folder, 'restored');
  const waiting = assay(['restore', '-'], { DATA_DIR: data }, interrupt.signal);
  const there = () => readdir(data).catch(() => []);
  await vi.waitFor(async () => expect(await there()).toEqual([expect.stringMatching(/^restore-/)]), 30_000);
  interrupt.abort();
  expect(await waiting).toEqual({ code: 2, out: '', err: 'Stopped: nothing was changed.\n' });
  expect(await there()).toEqual([]);
});

describe('Client commands', () => {
  const expectRejection = async (
    args: readonly string[],
    message: RegExp | string,
    env: Record<string, string> = {},
  ) => {
    const { code, out, err } = await assay(args, env);
    expect({ code, out }, err).toEqual({ code: 2, out: '' });
    if (typeof message === 'string') expect(err).toBe(`${message}\n`);
    else expect(err).toMatch(message);
    expect(err).not.toMatch(/^\s+at /m);
    expect(err.trim().split('\n')).toHaveLength(1);
  };

  it('report invalid usage in one line with status 2', { tags: ['full'] }, async () => {
    await expectRejection(['predict', WALL, '--colour'], "error: unknown option '--colour'");
    await expectRejection(['predict'], "error: missing required argument 'file|url|folder'");
    await expectRejection(
      ['predict', WALL, '--priority', 'high'],
      /^error: option '--priority <priority>' .* is invalid\./,
    );
    await expectRejection(['transcribe', NOTE, '--format', 'srt', '--json'], /cannot be used with/);
    await expectRejection(['predict', WALL, '--server', 'nowhere'], '--server nowhere is not an http or https URL.');
    await expectRejection(['extract', WALL, '--format', 'pdf'], /^--format pdf needs --output/);
    await writeFile(join(folder, 'e.pdf'), createPdf().bytes);
    await expectRejection(
      ['extract', WALL, 'e.pdf', ...at(passports), '--format', 'pdf', '--output', 'one.pdf'],
      'one.pdf is not a folder; several documents need one.',
      { ASSAY_API_KEY: ADMIN_KEY },
    );
  });

  it('report a missing, empty or unsupported file in one line with status 2', { tags: ['full'] }, async () => {
    const open = ['--token', TOKEN, ...at(photos)];
    await expectRejection(['predict', 'none.jpg', ...open], 'The file none.jpg does not exist.');
    await expectRejection(['predict', folder, ...open], 'A folder needs --output: photos.csv or photos.jsonl.');
    await writeFile(join(folder, 'empty.jpg'), '');
    await expectRejection(['predict', 'empty.jpg', ...open], 'empty.jpg is empty.');
    await writeFile(join(folder, 'notes.txt'), 'text');
    await expectRejection(
      ['predict', 'notes.txt', ...open],
      /returned an error: The file must be an image .* \(UNSUPPORTED_MEDIA_TYPE\)/,
    );
    await expectRejection(['extract', 'notes.txt', ...at(passports)], /^notes\.txt: /, { ASSAY_API_KEY: ADMIN_KEY });
    const elsewhere = ['predict', 'https://other.example.com/a.jpg', ...open];
    await expectRejection(elsewhere, /returned an error: image_url: .* \(VALIDATION_ERROR\)/);
    await expectRejection(
      ['predict', WALL, ...open, '--output', '/no/such/folder/a.json'],
      /cannot be written: the folder \S+ does not exist\.\n$/,
    );
  });

  it('report an unreachable server at once and again when they give up', { tags: ['full'] }, async () => {
    const unreachable = `http://127.0.0.1:${await freePort()}`;
    const words = `${unreachable} cannot be reached (ECONNREFUSED). Start Assay with \`node scripts/assay.mjs start\` in its folder.\n`;
    const commands = [
      ['predict', WALL],
      ['extract', NOTE, '--api-key', 'any'],
    ];
    const results = await Promise.all(commands.map((command) => assay([...command, '--server', unreachable])));
    const result = { code: 2, out: '', err: `Request failed, retrying: ${words}${words}` };
    expect(results).toEqual([result, result]);
    // A command that creates nothing does not wait for a restart.
    await expectRejection(['result', 'any', '--server', unreachable], words.trim());
  });

  it('report a foreign server in one line with status 2', { tags: ['full'] }, async () => {
    let answer = '<html>';
    let status = 200;
    const other = createServer((_, response) => response.writeHead(status).end(answer)).listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const url = `http://127.0.0.1:${(other.address() as { port: number }).port}`;
    for (answer of ['<html>', '{"status":"up"}', 'null'])
      await expectRejection(['predict', WALL, '--server', url], `${url} is not an Assay service.`);
    status = 400;
    answer = '{"error":{"code":"NO","message":"Not\\nso \\u001b[31mfast."}}';
    await expectRejection(['predict', WALL, '--server', url], `${url} returned an error: Not so  [31mfast. (NO)`);
    await expectRejection(
      ['transcribe', NOTE, ...at(photos), '--token', TOKEN],
      /^http:\S+ returned an error: The file must be an image/,
    );
    await expectRejection(
      ['transcribe', 'https://a.example.com/b.mp3', ...at(photos), '--token', TOKEN],
      /is not an Assay stt service/,
    );
  });

  it('report a missing, wrong or expired credential in one line with status 2', { tags: ['full'] }, async () => {
    const url = photos.url;
    await expectRejection(
      ['predict', WALL, ...at(photos)],
      `${url} requires a credential, and ${join(folder, 'none')} contains none: run the command in the folder where Assay was started, or set DATA_DIR, --token or ASSAY_TOKEN.`,
      { DATA_DIR: join(folder, 'none') },
    );
    await expectRejection(['predict', WALL, ...at(photos), '--token', 'wrong'], /^http:\S+ rejected the credential: /);
    await expectRejection(
      ['predict', WALL, ...at(photos), '--token', 'ключ'],
      /^The token contains characters that are not allowed/,
    );
    await expectRejection(
      ['extract', WALL, ...at(passports), '--api-key', 'wrong'],
      /rejected the credential: There is no such API key\./,
    );
    const old = 'eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.c2lnbmF0dXJl';
    await expectRejection(
      ['extract', WALL, ...at(passports), '--token', old],
      /rejected the credential: .* has expired\./,
    );
  });
});

// Last, because the third document of the extract tests fails.
describe('assay batches --service passports', () => {
  it('submits an archive of passports with an API key, and no other file', { tags: ['full'] }, async () => {
    const options = ['--service', 'passports', '--server', passports.url, '--api-key', ADMIN_KEY];
    await writeFile(join(folder, 'shelf.zip'), await archiveOf([['a.pdf', Buffer.from(createPdf().bytes)]]));
    const submitted = await assay(['batches', 'submit', 'shelf.zip', '--wait', ...options]);
    expect(submitted.out, submitted.err).toMatch(/^\S{26} {2}completed {2}total 1 {2}.* {2}shelf\.zip\n$/);
    expect((await assay(['batches', ...options])).out).toBe(submitted.out);
    const id = submitted.out.slice(0, 26);
    expect((await assay(['batches', 'results', id, '--format', 'csv', ...options])).out).toContain(',a.pdf,');
    await writeFile(join(folder, 'items.jsonl'), '{}\n');
    expect(await assay(['batches', 'submit', 'items.jsonl', ...options])).toMatchObject({
      code: 2,
      err: expect.stringContaining('A batch of passports must be a ZIP archive of PDFs (.zip), not items.jsonl.'),
    });
  });
});
