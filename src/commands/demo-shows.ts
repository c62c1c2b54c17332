import { Assay } from '../client/index.ts';
import { type Stage, sizeOf } from './demo-stage.ts';
import { documentLines, photoLines, recordingLines } from './result-lines.ts';

/** What the demo shows of one service, with a file of `examples/`, through the public API alone. */
export interface Show {
  readonly service: string;
  /** Answers the id of its task. */
  play(stage: Stage): Promise<string>;
}

export const SHOWS: readonly Show[] = [
  { service: 'defectoscopy', play: photo },
  { service: 'stt', play: voiceNote },
  { service: 'passports', play: passport },
];

/** The bytes go to our own file host, the task names them. */
async function photo(stage: Stage): Promise<string> {
  const { address: url, credential: token, signal } = stage;
  const { defectoscopy } = new Assay({ defectoscopy: { url, token }, polling: 'local' });
  const upload = await uploaded(stage, 'examples/wall.jpg', (bytes) => defectoscopy.upload(bytes, { signal }));
  announce(stage, '/predict');
  const task = await defectoscopy.predict(upload.url, { signal });
  follow(stage, task);
  const done = await defectoscopy.wait(task, { signal, onState: ({ status }) => said(stage, status) });
  tell(stage, [...photoLines(done.result), `(${done.processing_time_ms} ms of work)`]);
  return task.task_id;
}

async function voiceNote(stage: Stage): Promise<string> {
  const { address: url, credential: token, signal } = stage;
  const { stt } = new Assay({ stt: { url, token }, polling: 'local' });
  const upload = await uploaded(stage, 'examples/voice-note.mp3', (bytes) => stt.upload(bytes, { signal }));
  announce(stage, '/transcribe/audio_url');
  const task = await stt.transcribe(upload.url, { signal });
  follow(stage, task);
  const done = await stt.wait(task, { signal, onState: ({ status }) => said(stage, status) });
  tell(stage, [...recordingLines(done), `(${done.processing_time_ms} ms of work)`]);
  return task.task_id;
}

/** A key for a token, a PDF for a task, and the fields of the task. */
async function passport(stage: Stage): Promise<string> {
  const { address: url, credential: apiKey, signal, say } = stage;
  const { passports } = new Assay({ passports: { url, apiKey }, polling: 'local' });
  const example = 'examples/passport.pdf';
  say('1. POST /auth/token               an API key in, a token for a day out');
  const bytes = await stage.read(example);
  say(`2. POST /upload                   ${example}, ${sizeOf(bytes)}`);
  const { items } = await passports.upload({ name: 'passport.pdf', data: bytes }, { signal });
  const { id, status } = items[0]!;
  say(`   ${id}  ${status}`);
  say(`3. GET /api/task/${id}/status`);
  const read = await passports.wait(id, { signal, onState: (state) => said(stage, state.status) });
  tell(stage, documentLines(read, 10));
  return id;
}

async function uploaded<Kept extends { readonly url: string }>(
  { read, say }: Stage,
  example: string,
  upload: (bytes: Buffer) => Promise<Kept>,
): Promise<Kept> {
  const bytes = await read(example);
  say(`1. POST /files                    ${example}, ${sizeOf(bytes)}`);
  const kept = await upload(bytes);
  say(`   ${kept.url}`);
  return kept;
}

const announce = ({ say }: Stage, path: string) =>
  say(`${`2. POST ${path}`.padEnd(33)} a reference in, a task id out at once`);

function follow(
  { say }: Stage,
  { task_id, status, status_url }: { task_id: string; status: string; status_url: string },
) {
  say(`   ${task_id}  ${status}`);
  say(`3. GET ${status_url}`);
}

/** What everybody has read already when the task was made is no news. */
function said({ sayAfter }: Stage, status: string): void {
  if (status !== 'queued' && status !== 'PENDING') sayAfter(status);
}

function tell({ say }: Stage, lines: readonly string[]): void {
  for (const line of ['', ...lines]) say(`   ${line}`);
}
