import { Assay } from '../client/index.ts';
import { type Stage, sizeOf } from './demo-stage.ts';
import { documentLines, photoLines, recordingLines } from './result-lines.ts';

export interface Show {
  readonly service: string;
  /** Returns the task id. */
  play(stage: Stage): Promise<string>;
}

export const SHOWS: readonly Show[] = [
  { service: 'defectoscopy', play: photo },
  { service: 'stt', play: voiceNote },
  { service: 'passports', play: passport },
];

async function photo(stage: Stage): Promise<string> {
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

async function voiceNote(stage: Stage): Promise<string> {
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

async function passport(stage: Stage): Promise<string> {
  const { address: url, credential: apiKey, signal, say } = stage;
  const { passports } = new Assay({ passports: { url, apiKey }, polling: 'local' });
  const example = 'examples/passport.pdf';
  say('1. POST /auth/token               exchange the API key for a token');
  const bytes = await stage.read(example);
  say(`2. POST /upload                   ${example}, ${sizeOf(bytes)}`);
  const { items } = await passports.upload({ name: 'passport.pdf', data: bytes }, { signal });
  const { id, status } = items[0]!;
  say(`   ${id}  ${status}`);
  say(`3. GET /api/task/${id}/status`);
  const read = await passports.wait(id, { signal, onState: (state) => showStatus(stage, state.status) });
  showResult(stage, documentLines(read, 10));
  return id;
}

async function uploadExample<Upload extends { readonly url: string }>(
  { read, say }: Stage,
  example: string,
  upload: (bytes: Buffer) => Promise<Upload>,
): Promise<Upload> {
  const bytes = await read(example);
  say(`1. POST /files                    ${example}, ${sizeOf(bytes)}`);
  const result = await upload(bytes);
  say(`   ${result.url}`);
  return result;
}

const announceTask = ({ say }: Stage, path: string) =>
  say(`${`2. POST ${path}`.padEnd(33)} create a task from the file's URL`);

function showTask(
  { say }: Stage,
  { task_id, status, status_url }: { task_id: string; status: string; status_url: string },
) {
  say(`   ${task_id}  ${status}`);
  say(`3. GET ${status_url}`);
}

/** The initial status is printed when the task is created. */
function showStatus({ sayAfter }: Stage, status: string): void {
  if (status !== 'queued' && status !== 'PENDING') sayAfter(status);
}

function showResult({ say }: Stage, lines: readonly string[]): void {
  for (const line of ['', ...lines]) say(`   ${line}`);
}
