import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { freePort, REPOSITORY } from '../support/processes/assay.ts';
import { type CommandResult, runAssay } from '../support/processes/run-assay.ts';
import { type Product, startProduct } from '../support/product.ts';

// These tests start real processes.
vi.setConfig({ testTimeout: 240_000 });

const COMMANDS: Readonly<Record<string, string>> = {
  start: 'start',
  demo: 'demo',
  predict: 'predict WALL',
  transcribe: 'transcribe WALL',
  extract: 'extract WALL',
  events: 'events',
  timeline: 'timeline a',
  result: 'result a',
  cancel: 'cancel a',
  delete: 'delete a',
  deliveries: 'deliveries',
  batches: 'batches',
  listen: 'listen --forward http://127.0.0.1:NOWHERE',
  serve: 'serve',
  work: 'work --service stt',
  deliver: 'deliver',
  sweep: 'sweep',
  migrate: 'migrate',
  backup: 'backup made.assay',
  restore: 'restore text.txt',
  audit: 'audit',
  config: 'config',
  tokens: 'tokens',
  train: 'train folder',
  conform: 'conform http://127.0.0.1:NOWHERE',
  models: 'models',
};
/** Commands that read no settings of this machine. */
const NO_SETTINGS = ['conform'];

let folder: string;
let product: Product;
let foreignServer: Server;
let placeholders: Record<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-bad-input-'));
  await writeFile(join(folder, 'text.txt'), 'text');
  await writeFile(join(folder, 'empty.jpg'), '');
  await mkdir(join(folder, 'folder'));
  product = await startProduct({ roles: [], env: { SERVICES: 'defectoscopy,passports', PASSPORTS_PORT: '0' } });
  foreignServer = createServer((_request, response) => response.end('<!doctype html><p>Welcome')).listen(
    0,
    '127.0.0.1',
  );
  await once(foreignServer, 'listening');
  placeholders = {
    WALL: join(REPOSITORY, 'examples/wall.jpg'),
    PRODUCT: product.url,
    PASSPORTS: product.addresses['passports']!,
    FOREIGN_SERVER: `http://127.0.0.1:${(foreignServer.address() as AddressInfo).port}`,
    NOWHERE: String(await freePort()),
    DATABASE: product.database.url,
  };
}, 120_000);
afterAll(async () => {
  foreignServer.close();
  await product.stop();
  await rm(folder, { recursive: true });
});

const fillPlaceholders = (text: string) =>
  Object.entries(placeholders).reduce((done, [word, value]) => done.replaceAll(word, value), text);

const assay = (line: string, env: Readonly<Record<string, string>> = {}): Promise<CommandResult> =>
  runAssay(fillPlaceholders(line).split(' '), {
    cwd: folder,
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fillPlaceholders(value)])),
  });

type Row = readonly [line: string, sentence: RegExp, env?: Readonly<Record<string, string>>];

/** Expects status 2 and a one-line message. Three at a time, because Node's start dominates. */
async function expectRejections(rows: readonly Row[]): Promise<void> {
  const remaining = [...rows];
  const failures: unknown[] = [];
  const runRows = async () => {
    for (let row = remaining.shift(); row !== undefined; row = remaining.shift()) {
      const [command, message, env] = row;
      const { code, out, err } = await assay(command, env);
      const text = err.trimEnd();
      const isExpected = code === 2 && message.test(text) && !text.includes('\n') && !/\bat .*:\d+:\d+/.test(out + err);
      if (!isExpected) failures.push({ command, code, out, err });
    }
  };
  await Promise.all([runRows(), runRows(), runRows()]);
  expect(failures).toEqual([]);
}

it('This test covers every command that `assay --help` lists', async () => {
  const { out } = await assay('--help');
  const named = [...out.matchAll(/^ {2}([a-z]+)[ |]/gm)].map(([, name]) => name);
  expect(named.filter((name) => name !== 'help').sort()).toEqual(Object.keys(COMMANDS).sort());
});

it('Every command rejects an unknown flag with one line and status 2', () =>
  expectRejections(
    Object.values(COMMANDS).map((line): Row => [`${line} --no-such-flag`, /^error: unknown option '--no-such-flag'$/]),
  ));

it('Every command that reads settings rejects an invalid DATABASE_URL with one line and status 2', () =>
  expectRejections(
    Object.entries(COMMANDS)
      .filter(([name]) => !NO_SETTINGS.includes(name))
      .map(([, line]): Row => [line, /^DATABASE_URL: must be an address like /, { DATABASE_URL: 'nonsense' }]),
  ));

it('Commands report missing input, unreachable servers and rejected credentials with one line and status 2', () =>
  expectRejections([
    ['nonsense', /^There is no command nonsense; see `assay --help`\.$/],
    ['start extra', /^error: too many arguments/],
    ['predict', /^error: missing required argument/],
    ['work', /^error: required option '--service <name>'/],
    ['work --service nope', /^Unknown service nope\. Services: defectoscopy, stt, passports, catalog\.$/],
    ['serve --service nope', /^Unknown service nope\. Services: defectoscopy, stt, passports, catalog\.$/],
    ['conform http://127.0.0.1:1 --patience 5', /^--patience was renamed: use --timeout\.$/],
    ['conform http://127.0.0.1:1 --flood', /^--flood was renamed: use --check-rate-limit\.$/],
    ['predict WALL --priority now', /is invalid\. Allowed choices are realtime, batch\.$/],

    ['predict missing.jpg', /^The file missing\.jpg does not exist\.$/],
    ['predict empty.jpg', /^empty\.jpg is empty\.$/],
    ['transcribe folder', /^A folder needs --output: a folder for the transcripts, or texts\.csv or texts\.jsonl\.$/],
    ['predict folder --output a.csv', /^folder has no photos /],
    ['extract missing.pdf', /^The file missing\.pdf does not exist\.$/],
    [
      'predict WALL --output missing/result',
      /^missing\/result cannot be written: the folder missing does not exist\.$/,
    ],
    ['train folder --version 2', /^error: unknown option '--version'$/],
    ['train missing', /^Cannot read the folder missing \(ENOENT\)\.$/],
    ['train folder', /^No images and no labels.csv found in folder/],
    ['restore missing', /^The file missing does not exist\.$/],
    ['restore text.txt', /^text\.txt is not a backup of Assay/],
    ['backup made.assay', /^There is nothing to back up in /],
    [
      'backup missing/made.assay',
      /^missing\/made\.assay cannot be written: the folder missing does not exist\.$/,
      { DATABASE_URL: 'DATABASE' },
    ],
    ['models photos --server http://127.0.0.1:NOWHERE', /^http:\S+ cannot be reached /],
    ['models promote nope --server PRODUCT --token test-token-1', /^http:\S+ returned an error: .*\(FORBIDDEN\)$/],
    ['models rollback --server http://127.0.0.1:NOWHERE', /^http:\S+ cannot be reached /],
    ['models shadow', /^error: missing required argument 'version\|off'$/],
    ['models pull nope', /^Unknown speech model nope\. Available models: .*whisper-base/],
    ['models try nope', /^Unknown speech model nope\. Available models: .*whisper-base/],
    ['models try whisper-base --folder missing', /^There is no folder missing\.$/],
    ['models try whisper-base --folder folder', /^folder has no recordings /],
    ['models try whisper-base', /^STT_MODEL: /, { STT_MODEL: 'nope' }],
    [
      'config',
      /^STT_API_TOKENS: STT_API_TOKENS_FILE names a file that cannot be read\.$/,
      { STT_API_TOKENS_FILE: 'no' },
    ],

    [
      'result a --server http://127.0.0.1:NOWHERE',
      /^http:\S+ cannot be reached .*Start Assay with `node scripts\/assay\.mjs start` in its folder\.$/,
    ],
    ['transcribe WALL --server nonsense', /^--server nonsense is not an http or https URL\.$/],
    ['extract WALL --server FOREIGN_SERVER --api-key k', /^http:\S+ /],
    ['predict WALL --server FOREIGN_SERVER --token t', /^http:\S+ /],
    ['conform http://127.0.0.1:NOWHERE', /^No response from http/],
    ['conform FOREIGN_SERVER', /could not be detected; specify it with --service\.$/],

    ['predict WALL --server PRODUCT --token wrong', /rejected the credential: .* Set --token or ASSAY_TOKEN\.$/],
    ['predict WALL --server PRODUCT', /requires a credential, and \S+ contains none: /, { APP_ENV: 'test' }],
    [
      'extract WALL --server PASSPORTS --token expired',
      /rejected the credential: .* Set --api-key or ASSAY_API_KEY\.$/,
    ],
    ['deliveries redeliver a --server PRODUCT --token wrong', /rejected the credential: /],
    ['deliveries redeliver', /^Name the tasks, or use --since\.$/],
    ...['--since 2026-01-31', '--pending'].map(
      (option): Row => [
        `deliveries redeliver a ${option}`,
        /^Task ids cannot be combined with --since or --pending\.$/,
      ],
    ),
    ...['redeliver a --state failed', 'redeliver --since 2026-01-31 --task a', 'endpoints --since 2026-01-31'].map(
      (line): Row => [`deliveries ${line}`, /^error: option '--(state|task|since)' cannot be used with '[a-z]+'$/],
    ),
    ['timeline a --server PRODUCT --token wrong', /rejected the credential: /],
    ['timeline', /^error: missing required argument/],
    ...['result', 'cancel'].map(
      (name): Row => [`${name} a --server PRODUCT --token wrong`, /rejected the credential: /],
    ),
    ['delete a --server PASSPORTS --api-key wrong-key', /^http:\S+ returned an error: /],
    ['delete', /^error: missing required argument/],
    ['batches submit missing.jsonl', /^The file missing\.jsonl does not exist\.$/],
    ['batches submit text.txt --server PRODUCT --token test-token-1', /^text\.txt is not JSON lines, /],
    ['batches status a --server PRODUCT --token test-token-1', /\(BATCH_NOT_FOUND\)$/],
    ['batches results a --format pdf', /Allowed choices are jsonl, csv, xlsx, zip\.$/],
    ['batches cancel a --server PRODUCT --token wrong', /rejected the credential: /],
    ['deliveries test', /^error: missing required argument/],
    ['deliveries endpoints --server PRODUCT --token wrong', /rejected the credential: /],
    ['deliveries resume', /^error: missing required argument/],
    ['deliveries resume receiver --server PRODUCT --token test-token-1', /endpoint: The value is not an absolute URL/],
    ['deliveries --since yesterday', /^error: option '--since <time>' .* 2026-01-31T08:00Z\.$/],
    ['listen --forward 1 --server PRODUCT', /^--forward 1 is not an http or https URL\.$/],
    ['listen --forward http://127.0.0.1:NOWHERE --server PRODUCT --token wrong', /rejected the credential: /],
    ['extract WALL --server PASSPORTS --api-key wrong-key', /^http:\S+ returned an error: /],
    ['conform PRODUCT --token wrong', /token/],

    ...['tokens', 'tokens revoke a', 'audit', 'backup made.assay', 'migrate'].map(
      (line): Row => [line, /^The database is unavailable: /, { DATABASE_URL: 'postgres://a:b@127.0.0.1:NOWHERE/c' }],
    ),
    ['tokens', /^There is no database in /],
    ...['start', 'work --service stt', 'migrate', 'demo'].map(
      (line): Row => [line, /^DATA_DIR \(\S+\) cannot be used: ENOTDIR: not a directory/, { DATA_DIR: 'text.txt' }],
    ),
  ]));

it('Commands report an expired token with one line and status 2', async () => {
  const env = { DATABASE_URL: 'DATABASE' };
  const { out } = await assay('tokens create --service defectoscopy --name old --expires 1m', env);
  await product.database.db.query('update access_tokens set expires_at = now()');
  await expectRejections([[`predict WALL --server PRODUCT --token ${out.trimEnd()}`, /rejected the credential: /]]);
});

it('`config check` warns about misspelt settings and exits with status 0', async () => {
  const env = { DEFECTOSCOPY_PROT: '1', STT_MODLE: 'x', STT_SERVICE_HOST: '10.0.0.1', STT_TOKEN: 'a', HOSTNAME: 'a' };
  const { code, out } = await assay('config check', env);
  expect(code).toBe(0);
  expect(out).toMatch(
    /\n# Warnings\nUnknown setting DEFECTOSCOPY_PROT; did you mean DEFECTOSCOPY_PORT\?\nUnknown setting STT_MODLE; did you mean STT_MODEL\?\n\n/,
  );
  const { err } = await assay('serve --service nope', env);
  expect(err).toMatch(/^Unknown service/);
});
