import { readFile } from 'node:fs/promises';
import { Assay } from '../client/index.ts';
import { PACKAGE_ROOT } from '../config.ts';
import { documentLines, photoLines, recordingLines } from './result-lines.ts';

export interface DemoContext {
  readonly address: string;
  readonly credential: string | undefined;
  readonly signal: AbortSignal;
  readExample(example: string): Promise<Buffer>;
  print(line: string): void;
  /** With the elapsed seconds; skips repetitions. */
  printElapsed(status: string): void;
}

export function createDemoContext(service: Pick<DemoContext, 'address' | 'credential' | 'signal'>): DemoContext {
  const begun = Date.now();
  let last = '';
  return {
    ...service,
    readExample: (example) => readFile(new URL(example, PACKAGE_ROOT)),
    print: (line) => console.log(line),
    printElapsed(status) {
      if (status !== last) console.log(`   ${elapsedSeconds(begun).padStart(7)}  ${status}`);
      last = status;
    },
  };
}

const sizeOf = (bytes: Buffer) => `${Math.round(bytes.length / 1024)} KiB`;
export const elapsedSeconds = (since: number) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

export interface DemoStep {
  readonly service: string;
  /** Returns the task id. */
  run(stage: DemoContext): Promise<string>;
}

export const DEMO_STEPS: readonly DemoStep[] = [
  { service: 'defectoscopy', run: photo },
  { service: 'stt', run: voiceNote },
  { service: 'passports', run: passport },
];

async function photo(stage: DemoContext): Promise<string> {
  const { address: url, credential: token, signal } = stage;
  const { defectoscopy } = new Assay({ defectoscopy: { url, token }, polling: 'local' });
  const upload = await uploadExample(stage, 'examples/wall.jpg', (bytes) => defectoscopy.upload(bytes, { signal }));
  announceTask(stage, '/predict');
  const task = await defectoscopy.predict(upload.url, { signal });
  showTask(stage, task);
  const done = await defectoscopy.wait(task, { signal, onState: ({ status }) => showStatus(stage, status) });
  showResult(stage, [...photoLines(done.result), `(${done.processing_time_ms} ms processing time)`]);
  return task.task_id;
}

async function voiceNote(stage: DemoContext): Promise<string> {
  const { address: url, credential: token, signal } = stage;
  const { stt } = new Assay({ stt: { url, token }, polling: 'local' });
  const upload = await uploadExample(stage, 'examples/voice-note.mp3', (bytes) => stt.upload(bytes, { signal }));
  announceTask(stage, '/transcribe/audio_url');
  const task = await stt.transcribe(upload.url, { signal });
  showTask(stage, task);
  const done = await stt.wait(task, { signal, onState: ({ status }) => showStatus(stage, status) });
  showResult(stage, [...recordingLines(done), `(${done.processing_time_ms} ms processing time)`]);
  return task.task_id;
}

async function passport(stage: DemoContext): Promise<string> {
  const { address: url, credential: apiKey, signal, print } = stage;
  const { passports } = new Assay({ passports: { url, apiKey }, polling: 'local' });
  const example = 'examples/passport.pdf';
  print('1. POST /auth/token               exchange the API key for a token');
  const bytes = await stage.readExample(example);
  print(`2. POST /upload                   ${example}, ${sizeOf(bytes)}`);
  const { items } = await passports.upload({ name: 'passport.pdf', data: bytes }, { signal });
  const { id, status } = items[0]!;
  print(`   ${id}  ${status}`);
  print(`3. GET /api/task/${id}/status`);
  const read = await passports.wait(id, { signal, onState: (state) => showStatus(stage, state.status) });
  showResult(stage, documentLines(read, 10));
  return id;
}

async function uploadExample<Upload extends { readonly url: string }>(
  { readExample, print }: DemoContext,
  example: string,
  upload: (bytes: Buffer) => Promise<Upload>,
): Promise<Upload> {
  const bytes = await readExample(example);
  print(`1. POST /files                    ${example}, ${sizeOf(bytes)}`);
  const result = await upload(bytes);
  print(`   ${result.url}`);
  return result;
}

const announceTask = ({ print }: DemoContext, path: string) =>
  print(`${`2. POST ${path}`.padEnd(33)} create a task from the file's URL`);

function showTask(
  { print }: DemoContext,
  { task_id, status, status_url }: { task_id: string; status: string; status_url: string },
) {
  print(`   ${task_id}  ${status}`);
  print(`3. GET ${status_url}`);
}

/** The initial status is printed when the task is created. */
function showStatus({ printElapsed }: DemoContext, status: string): void {
  if (status !== 'queued' && status !== 'PENDING') printElapsed(status);
}

function showResult({ print }: DemoContext, lines: readonly string[]): void {
  for (const line of ['', ...lines]) print(`   ${line}`);
}
