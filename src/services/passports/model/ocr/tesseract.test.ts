import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTesseract } from './tesseract.ts';
import { drawing } from './testing/drawing.ts';

/** A program that answers as Tesseract does when it is asked for its languages, and otherwise does `reading`. */
async function programWith(languages: string[], reading = 'exit 0'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-tesseract-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const program = join(folder, 'tesseract');
  const list = ['List of available languages (1):', ...languages].join('\\n');
  await writeFile(program, `#!/bin/sh\nif [ "$1" = --list-langs ]; then printf '${list}\\n'; exit 0; fi\n${reading}\n`);
  await chmod(program, 0o755);
  return program;
}

const signal = new AbortController().signal;
const line = () => drawing(40, 20);

describe('the Tesseract of the machine', () => {
  it('is none where there is no such program, or none that knows Russian', async () => {
    expect(await openTesseract('/nowhere/tesseract', 1)).toBeUndefined();
    expect(await openTesseract(await programWith(['eng', 'osd']), 1)).toBeUndefined();
  });

  it('says with what it reads', async () => {
    expect((await openTesseract(await programWith(['rus']), 1))?.name).toBe('tesseract rus');
    expect((await openTesseract(await programWith(['eng', 'osd', 'rus']), 1))?.name).toBe('tesseract rus+eng');
  });

  it('that fails says how', async () => {
    const engine = await openTesseract(await programWith(['rus'], 'cat > /dev/null; echo out of paper >&2; exit 3'), 1);
    await expect(engine!.read([line()], signal)).rejects.toThrow('Tesseract ended with 3: out of paper');
  });

  it('that does not end is ended with the wish for its answer', async () => {
    const engine = await openTesseract(await programWith(['rus'], 'exec sleep 60'), 1);
    const stop = new AbortController();
    const reading = engine!.read([line()], stop.signal);
    stop.abort();
    await expect(reading).rejects.toThrow(/abort/);
    // The lane is free again.
    await expect(engine!.read([line()], AbortSignal.timeout(50))).rejects.toThrow();
  });
});
