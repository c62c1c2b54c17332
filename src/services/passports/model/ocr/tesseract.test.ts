import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDrawing } from '../../../../../test/support/ocr/drawing.ts';
import { openTesseract } from './tesseract.ts';

/** A program that lists `languages` like Tesseract, runs `stream` for a stream of images and otherwise `command`. */
async function programWith(languages: string[], command = 'exit 0', stream = 'exit 1'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-tesseract-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const program = join(folder, 'tesseract');
  const list = ['List of available languages (1):', ...languages].join('\\n');
  const script = [
    '#!/bin/sh',
    `if [ "$1" = --list-langs ]; then printf '${list}\\n'; exit 0; fi`,
    `case "$*" in *stream_filelist*) ${stream};; esac`,
    command,
  ];
  await writeFile(program, `${script.join('\n')}\n`);
  await chmod(program, 0o755);
  return program;
}

const signal = new AbortController().signal;
const line = () => createDrawing(40, 20);

describe('openTesseract', () => {
  it('returns undefined without the program or without Russian', async () => {
    expect(await openTesseract('/nowhere/tesseract', 1)).toBeUndefined();
    expect(await openTesseract(await programWith(['eng', 'osd']), 1)).toBeUndefined();
  });

  it('names the engine by its languages', async () => {
    expect((await openTesseract(await programWith(['rus']), 1))?.name).toBe('tesseract rus');
    expect((await openTesseract(await programWith(['eng', 'osd', 'rus']), 1))?.name).toBe('tesseract rus+eng');
    const both = await programWith(['eng', 'rus', 'script/Cyrillic']);
    expect((await openTesseract(both, 1))?.name).toBe('tesseract script/Cyrillic+eng');
    expect((await openTesseract(await programWith(['Cyrillic', 'rus']), 1))?.name).toBe('tesseract Cyrillic');
  });

  it('recognizes in English only if the model is installed', async () => {
    expect((await openTesseract(await programWith(['rus']), 1))?.recognizeEnglish).toBeUndefined();
    const echo = await programWith(
      ['eng', 'rus'],
      'cat > /dev/null; printf "5\\t1\\t\\t\\t\\t\\t0\\t0\\t9\\t9\\t90\\t$4"',
    );
    const engine = await openTesseract(echo, 1);
    expect((await engine!.recognizeEnglish!([line()], signal))[0]).toMatchObject([{ text: 'eng' }]);
    expect((await engine!.recognize([line()], signal))[0]).toMatchObject([{ text: 'rus+eng' }]);
  });

  it('reports the exit code and stderr when Tesseract fails', async () => {
    const engine = await openTesseract(await programWith(['rus'], 'cat > /dev/null; echo out of paper >&2; exit 3'), 1);
    await expect(engine!.recognize([line()], signal)).rejects.toThrow('Tesseract exited with 3: out of paper');
  });

  it('reads with a process of its own if a kept one fails', async () => {
    const blank = 'read image; printf "level\\n1\\t1\\t0\\n"; read image; exit 3';
    const echo = 'cat > /dev/null; printf "5\\t1\\t\\t\\t\\t\\t0\\t0\\t9\\t9\\t90\\tonce"';
    const engine = await openTesseract(await programWith(['rus'], echo, blank), 1);
    expect((await engine!.recognize([line()], signal))[0]).toMatchObject([{ text: 'once' }]);
    expect((await engine!.recognize([line()], signal))[0]).toMatchObject([{ text: 'once' }]);
    await engine!.close();
  });

  it('logs once that the pool cannot be opened', async () => {
    const warn = vi.fn();
    const engine = await openTesseract(await programWith(['rus'], 'cat > /dev/null'), 1, { warn });
    for (let page = 0; page < 2; page++) expect(await engine!.recognize([line()], signal)).toEqual([[]]);
    expect(warn.mock.calls).toEqual([[{ err: expect.any(Error) }, expect.stringContaining('the pool of Tesseract')]]);
  });

  it('logs the first of successive failures of the pool, with the reason', async () => {
    const state = join(await mkdtemp(join(tmpdir(), 'assay-tesseract-')), 'fails');
    onTestFinished(() => rm(dirname(state), { recursive: true, force: true }));
    const stream = [
      'page=0; printf "level\\n"',
      'while read image; do',
      `  if [ -e ${state} ]; then echo out of memory >&2; exit 3; fi`,
      '  page=$((page + 1)); printf "1\\t$page\\t0\\n"',
      'done; exit 0',
    ].join('\n');
    const warn = vi.fn();
    const engine = await openTesseract(await programWith(['rus'], 'cat > /dev/null', stream), 1, { warn });
    const read = () => engine!.recognize([line()], signal);
    await read();
    expect(warn).not.toHaveBeenCalled();

    await writeFile(state, '');
    await read();
    await read();
    expect(warn).toHaveBeenCalledOnce();
    expect(warn.mock.calls[0]![0].err.message).toMatch(/^Tesseract exited with 3: out of memory/);

    await rm(state);
    await read();
    await writeFile(state, '');
    await read();
    expect(warn).toHaveBeenCalledTimes(2);
    await engine!.close();
  });

  it('kills the process when the signal is aborted', async () => {
    const engine = await openTesseract(await programWith(['rus'], 'exec sleep 60'), 1);
    const stop = new AbortController();
    const reading = engine!.recognize([line()], stop.signal);
    stop.abort();
    await expect(reading).rejects.toThrow(/abort/);
    // The permit is released.
    await expect(engine!.recognize([line()], AbortSignal.timeout(50))).rejects.toThrow();
  });
});
