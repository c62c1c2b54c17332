import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { readArchive } from './archive-reader.ts';
import { createArchiveWriter } from './archive-writer.ts';
import { CorruptArchive, isSafePath, tarHeader } from './tar.ts';

type Write = (archive: ReturnType<typeof createArchiveWriter>) => Promise<void>;

const SMALL: Write = async (archive) => {
  await archive.add('backup.json', Buffer.from('{}'));
  await archive.add('files/XX/empty', Buffer.alloc(0));
  await archive.add('files/XX/pieces', { size: 6, bytes: pieces('abc', 'def') });
};

async function* pieces(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

async function made(write: Write): Promise<Buffer> {
  const parts: Buffer[] = [];
  const archive = createArchiveWriter(async (piece) => void parts.push(piece));
  await write(archive);
  await archive.finish();
  return Buffer.concat(parts);
}

async function read(bytes: Buffer, pieceBytes = 1000): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  async function* source() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  for await (const { name, content } of readArchive(source())) {
    found[name] = '';
    for await (const piece of content) found[name] += piece.toString('utf8');
  }
  return found;
}

test('readArchive returns the written entries for any chunk size', async () => {
  const bytes = await made(SMALL);
  for (const pieceBytes of [1, 511, 512, 4096]) {
    expect(await read(bytes, pieceBytes)).toEqual({
      'backup.json': '{}',
      'files/XX/empty': '',
      'files/XX/pieces': 'abcdef',
    });
  }
});

test('readArchive skips the rest of an entry that the consumer stops reading', async () => {
  const names: string[] = [];
  const bytes = await made(SMALL);
  for await (const { name, content } of readArchive(byTwos(bytes))) {
    names.push(name);
    for await (const _ of content) break;
  }
  expect(names).toHaveLength(3);
});

async function* byTwos(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 2) yield bytes.subarray(at, at + 2);
}

test('readArchive detects a changed bit in any byte', async () => {
  const bytes = await made(SMALL);
  for (let at = 0; at < bytes.length; at++) {
    const flipped = Buffer.from(bytes);
    flipped[at]! ^= 1 << (at % 8);
    await expect(read(flipped, bytes.length), `byte ${at}`).rejects.toThrow(CorruptArchive);
  }
});

test('readArchive detects truncation at any position and data after the end', async () => {
  const bytes = await made(SMALL);
  for (let end = 0; end < bytes.length; end += 256) {
    await expect(read(bytes.subarray(0, end)), `${end} bytes`).rejects.toThrow(CorruptArchive);
  }
  await expect(read(Buffer.concat([bytes, Buffer.of(0)]))).rejects.toThrow(CorruptArchive);
});

test('readArchive detects removed and added entries', async () => {
  const bytes = await made(SMALL);
  const extra = Buffer.concat([tarHeader('keys/mine', 0), bytes]);
  await expect(read(extra)).rejects.toThrow(CorruptArchive);
  await expect(read(bytes.subarray(1024))).rejects.toThrow(CorruptArchive); // the first entry: header and one block
});

test('readArchive reads an archive with several checksum lists and detects a missing list', async () => {
  const bytes = await made(async (archive) => {
    for (let i = 0; i < 10_001; i++) await archive.add(`files/${i}`, Buffer.alloc(0));
  });
  expect(Object.keys(await read(bytes, 1 << 20))).toHaveLength(10_001);
  const first = bytes.indexOf('sums/000001.sha256');
  const second = bytes.indexOf('sums/000002.sha256');
  expect(first).toBeGreaterThan(0);
  // Without the entry of the second list.
  const without = Buffer.concat([bytes.subarray(0, second), bytes.subarray(second + 1024)]);
  await expect(read(without, 1 << 20)).rejects.toThrow(CorruptArchive);
});

test('tar extracts the archive and sha256sum verifies it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-archive-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'it.tar'), await made(SMALL));
  const script = 'tar -xf it.tar && sha256sum -c sums/000001.sha256 && stat -c %a backup.json';
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: folder });
  expect(stdout.trim().split('\n')).toEqual(['backup.json: OK', 'files/XX/empty: OK', 'files/XX/pieces: OK', '600']);
  expect(await readFile(join(folder, 'files/XX/pieces'), 'utf8')).toBe('abcdef');
});

test('add rejects a file whose size changes while it is read', async () => {
  const archive = createArchiveWriter(async () => {});
  await expect(archive.add('files/x', { size: 7, bytes: pieces('abc', 'def') })).rejects.toThrow(/has changed/);
  await expect(archive.add('files/x', { size: 5, bytes: pieces('abc', 'def') })).rejects.toThrow(/has changed/);
});

test('add rejects names that are too long or not portable', async () => {
  const archive = createArchiveWriter(async () => {});
  for (const name of ['models/a: b', 'keys/../x', 'x'.repeat(100)]) {
    await expect(archive.add(name, Buffer.alloc(0)), name).rejects.toThrow('not portable');
  }
});

test('isSafePath accepts only portable relative paths', () => {
  for (const name of ['files/XX/ABC', 'models/defectoscopy/own-2/heads.json', 'keys/мой ключ.pem', 'x'.repeat(99)]) {
    expect(isSafePath(name), name).toBe(true);
  }
  for (const name of ['', '/etc/passwd', 'files/../../x', 'files//x', './x', 'a\nb', 'a\\b', 'c:/x', 'x'.repeat(100)]) {
    expect(isSafePath(name), name).toBe(false);
  }
});
