import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const diagnosticsIn = (program: ts.Program, folder: string) =>
  program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(folder))
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);

it('The client package has types that compile in a strict project and code without dependencies', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'assay-client-')));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.client.json'), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const program = ts.createProgram(fileNames, { ...options, outDir: folder });
  expect(fileNames.length).toBeGreaterThan(10);
  expect(diagnosticsIn(program, join(ROOT, 'src/client'))).toEqual([]);
  program.emit();

  await writeFile(join(folder, 'consumer.ts'), CONSUMER);
  for (const module of [ts.ModuleKind.NodeNext, ts.ModuleKind.Preserve]) {
    const moduleResolution =
      module === ts.ModuleKind.NodeNext ? ts.ModuleResolutionKind.NodeNext : ts.ModuleResolutionKind.Bundler;
    const strict = { strict: true, noEmit: true, exactOptionalPropertyTypes: true, types: [] };
    const lib = ['lib.es2023.d.ts', 'lib.dom.d.ts'];
    const consumer = ts.createProgram([join(folder, 'consumer.ts')], { ...strict, module, moduleResolution, lib });
    expect(diagnosticsIn(consumer, folder)).toEqual([`${folder}/consumer.ts: ${EXPECTED}`]);
  }
  for (const file of ts.sys.readDirectory(folder, ['.js'])) {
    for (const [, imported] of (await readFile(file, 'utf8')).matchAll(/from '([^']+)'/g)) {
      expect(imported, file).toMatch(/^\.\/[a-z-]+\.js$/);
    }
  }
});

const EXPECTED = `Type 'string' is not assignable to type 'number'.`;
/** Contains one type error, which proves that the types are effective. */
const CONSUMER = `
import { Assay, TaskFailed, type DonePhoto } from './client/index.js';
export async function look(image: Blob, signal: AbortSignal): Promise<readonly string[]> {
  const assay = new Assay({ defectoscopy: { url: 'https://photos.example.com', token: 'secret' } });
  try {
    const done: DonePhoto = await assay.defectoscopy.wait(await assay.defectoscopy.predict(image, { signal }), { signal });
    const surface: number = done.result.surface;
    return done.result.defects.map(({ name, conf }) => name + conf.toFixed(2) + surface);
  } catch (error) {
    if (error instanceof TaskFailed) return [error.code];
    throw error;
  }
}
export async function describeResult(id: string): Promise<string> {
  const recording = await new Assay({ stt: { url: '' } }).stt.result(id);
  switch (recording.status) {
    case 'queued':
    case 'processing':
      return String(recording.progress ?? 0);
    case 'done':
      return recording.result.transcription;
    case 'failed':
      return recording.error_code;
  }
}
`;
