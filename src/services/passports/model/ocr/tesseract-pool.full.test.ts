import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { renderForm } from '../../../../../test/support/ocr/form.ts';
import { requireTool } from '../../../../../test/support/require.ts';
import type { GrayImage } from './grayscale.ts';
import { preprocessPage } from './preprocess.ts';
import { openTesseractPool } from './tesseract-pool.ts';
import { encodeTiff } from './tiff.ts';
import { parseTsv } from './tsv.ts';

const OPTIONS = ['-l', 'rus', '--psm', '13', '--dpi', '300'];
const signal = AbortSignal.timeout(120_000);

/** The processes of Tesseract that this process has started. */
function tesseractPids(): number[] {
  return readdirSync('/proc/self/task')
    .flatMap((thread) =>
      readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
    .filter((pid) => isTesseract(pid));
}

function isTesseract(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'tesseract';
  } catch {
    return false; // it has exited
  }
}

describe('a pool of Tesseract processes', () => {
  let lines: GrayImage[];
  let folder: string;
  let pool: Awaited<ReturnType<typeof openTesseractPool>>;
  let command: Parameters<typeof openTesseractPool>[0];

  beforeAll(async () => {
    lines = preprocessPage(await renderForm()).lines.map(({ image }) => image);
  });
  beforeEach(async (context) => {
    folder = await mkdtemp(join(tmpdir(), 'assay-pool-'));
    vi.stubEnv('TMPDIR', folder);
    const program = requireTool('tesseract', context);
    if (process.platform !== 'linux') context.skip('Processes are kept on Linux only.');
    if (!/^rus$/m.test(execFileSync(program, ['--list-langs'], { encoding: 'utf8' })))
      context.skip('The Russian model is not installed.');
    command = { program, options: OPTIONS, env: { PATH: process.env['PATH'], OMP_THREAD_LIMIT: '1' } };
    pool = await openTesseractPool(command, 1);
  });
  afterEach(async () => {
    pool?.close();
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });

  it('reads images in several rounds like a process of its own does', async () => {
    const images = Array.from({ length: 150 }, (_, i) => lines[(i * 5) % lines.length]!);
    const input = encodeTiff(images);
    const args = ['stdin', 'stdout', ...OPTIONS, 'tsv'];
    const tsv = execFileSync(command.program, args, { input, encoding: 'utf8', stdio: 'pipe', env: command.env });
    const words = parseTsv(tsv, images.length);
    expect(words.flat().length).toBeGreaterThan(150);

    expect(await pool.read(command, images, signal)).toEqual(words);
    // Larger and smaller images in the same files.
    expect(await pool.read(command, images.slice(0, 70).toReversed(), signal)).toEqual(words.slice(0, 70).toReversed());
    expect(tesseractPids()).toHaveLength(1);
  });

  it('leaves no files and no processes, also when it is closed during a read', async () => {
    const openFiles = () => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    expect(tesseractPids()).toHaveLength(1);
    const reading = pool.read(command, lines, signal);
    pool.close();
    expect((await reading).flat().length).toBeGreaterThan(lines.length);
    expect(await readdir(folder)).toEqual([]);
    await vi.waitFor(() => expect(tesseractPids()).toEqual([]), 5000);
    await vi.waitFor(() => expect(openFiles()).toBeLessThan(before - 60), 5000);
  });

  it('rejects when the signal is aborted, and reads the next images', async () => {
    const stop = new AbortController();
    const reading = pool.read(command, lines, stop.signal);
    setTimeout(() => stop.abort(new Error('enough')), 20);
    await expect(reading).rejects.toThrow('enough');
    expect((await pool.read(command, lines, signal)).flat().length).toBeGreaterThan(lines.length);
  });

  it('rejects when the process is killed, and starts another', async () => {
    const reading = pool.read(command, lines, signal);
    setTimeout(() => process.kill(tesseractPids()[0]!, 'SIGKILL'), 20);
    await expect(reading).rejects.toThrow('Tesseract exited with SIGKILL');
    expect((await pool.read(command, lines, signal)).flat().length).toBeGreaterThan(lines.length);

    process.kill(tesseractPids()[0]!, 'SIGKILL');
    await vi.waitFor(() => expect(tesseractPids()).toEqual([]), 5000);
    expect((await pool.read(command, lines, signal)).flat().length).toBeGreaterThan(lines.length);
  });

  it('keeps as many processes as its limit', async () => {
    const english = { ...command, options: ['-l', 'eng', ...OPTIONS.slice(2)] };
    await Promise.all([command, english, command].map((one) => pool.read(one, lines, signal)));
    await vi.waitFor(() => expect(tesseractPids().length).toBeLessThanOrEqual(1), 5000);
  });

  it('is not opened if the program does not read a stream', async () => {
    const exits = openTesseractPool({ ...command, program: 'false' }, 1);
    await expect(exits).rejects.toThrow('Tesseract exited with 1');
    await expect(openTesseractPool({ ...command, program: '/nowhere/tesseract' }, 1)).rejects.toThrow(
      'exited with 127',
    );
    const withoutStdbuf = { ...command, env: { ...command.env, PATH: '/nowhere' } };
    await expect(openTesseractPool(withoutStdbuf, 1)).rejects.toThrow('spawn stdbuf ENOENT');
    vi.stubEnv('TMPDIR', '/nowhere');
    await expect(openTesseractPool(command, 1)).rejects.toThrow('ENOENT');
  });
});
