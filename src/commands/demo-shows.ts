import { rest } from '../base/loop.ts';
import type { Recorded as Seen } from '../services/defectoscopy/result.ts';
import type { Recorded as Heard } from '../services/stt/result.ts';
import { caller, type Stage, sizeOf } from './demo-stage.ts';

/** What the demo shows of one service, with a file of `examples/`, through the public API alone. */
export interface Show {
  readonly service: string;
  play(stage: Stage): Promise<void>;
}

export const SHOWS: readonly Show[] = [
  {
    service: 'defectoscopy',
    play: (stage) =>
      byReference<Seen>(stage, {
        example: 'examples/wall.jpg',
        contentType: 'image/jpeg',
        path: '/predict',
        body: (url) => ({ image_url: url }),
        told: photoLines,
      }),
  },
  {
    service: 'stt',
    play: (stage) =>
      byReference<Heard>(stage, {
        example: 'examples/voice-note.mp3',
        contentType: 'audio/mpeg',
        path: '/transcribe/audio_url',
        body: (url) => ({ url }),
        told: noteLines,
      }),
  },
  { service: 'passports', play: passport },
];

interface Accepted {
  readonly task_id: string;
  readonly status: string;
  readonly status_url: string;
}
type State<Result> = Accepted & { error?: string; result?: Result; processing_time_ms?: number };

/** Services that take a reference: the bytes go to our own file host, the task names them. */
async function byReference<Result>(
  stage: Stage,
  show: {
    example: string;
    contentType: string;
    path: string;
    body: (url: string) => object;
    told: (result: Result) => string[];
  },
): Promise<void> {
  const { credential, signal, say, sayAfter } = stage;
  const { example, contentType, path } = show;
  const call = caller(stage, credential);
  const bytes = await stage.read(example);
  say(`1. POST /files                    ${example}, ${sizeOf(bytes)}`);
  const upload = { method: 'POST', body: bytes, headers: { 'content-type': contentType } };
  const { url } = (await call<{ data: { url: string } }>('/files', upload)).data;
  say(`   ${url}`);

  say(`${`2. POST ${path}`.padEnd(33)} a reference in, a task id out at once`);
  const body = JSON.stringify(show.body(url));
  const headers = { 'content-type': 'application/json' };
  const task = (await call<{ data: Accepted }>(path, { method: 'POST', body, headers })).data;
  say(`   ${task.task_id}  ${task.status}`);

  say(`3. GET ${task.status_url}`);
  for (let status = task.status; !signal.aborted; ) {
    const state = (await call<{ data: State<Result> }>(task.status_url, { headers: { prefer: 'wait=1' } })).data;
    if (state.status !== status) sayAfter(state.status);
    status = state.status;
    if (state.status === 'failed') throw new Error(state.error);
    if (state.status === 'done') {
      for (const line of ['', ...show.told(state.result!), `(${state.processing_time_ms} ms of work)`])
        say(`   ${line}`);
      return;
    }
    await rest(50, signal);
  }
}

interface Document {
  readonly id: string;
  readonly status: string;
}
interface Extracted {
  readonly error: string | null;
  readonly fields: Readonly<Record<string, { value: unknown; label: string; confidence: number | null }>>;
}

/** A key for a token, a PDF for a task, and the fields of the task. */
async function passport(stage: Stage): Promise<void> {
  const { credential, signal, say, sayAfter } = stage;
  const example = 'examples/passport.pdf';
  say('1. POST /auth/token               an API key in, a token for a day out');
  const asked = { method: 'POST', body: JSON.stringify({ api_key: credential }) };
  const { token } = await caller(stage)<{ token: string }>('/auth/token', {
    ...asked,
    headers: { 'content-type': 'application/json' },
  });
  const call = caller(stage, token);

  const bytes = await stage.read(example);
  say(`2. POST /upload                   ${example}, ${sizeOf(bytes)}`);
  const form = new FormData();
  form.append('files', new Blob([bytes]), 'passport.pdf');
  const { items } = await call<{ items: Document[] }>('/upload', { method: 'POST', body: form });
  const { id } = items[0]!;
  say(`   ${id}  ${items[0]!.status}`);

  say(`3. GET /api/task/${id}/status`);
  for (let status = items[0]!.status; status === 'PENDING' || status === 'PROCESSING'; ) {
    await rest(100, signal);
    signal.throwIfAborted();
    const now = await call<Document>(`/api/task/${id}/status`);
    if (now.status !== status) sayAfter(now.status);
    status = now.status;
  }
  const { error, fields } = await call<Extracted>(`/api/task/${id}/result`);
  if (error) throw new Error(error);
  for (const line of ['', ...fieldLines(fields)]) say(`   ${line}`);
}

function photoLines({ surface, masters, defects }: Seen): string[] {
  const bars = (title: string, scored: Seen['masters']) =>
    scored.map(({ name, conf }, i) => {
      const bar = '█'.repeat(Math.round(conf * 30)).padEnd(30, '·');
      return `${(i === 0 ? title : '').padEnd(10)} ${name.padEnd(18)} ${bar} ${(conf * 100).toFixed(1).padStart(5)} %`;
    });
  return [
    `surface    ${surface}`,
    ...bars('groups', masters),
    ...bars('defects', defects),
    ...(defects.length === 0 ? ['defects    none: the surface looks sound'] : []),
  ];
}

function noteLines({ segments, language = '?', duration_seconds }: Heard): string[] {
  return [
    `${duration_seconds.toFixed(1)} s of sound, language ${language}`,
    ...segments.map(({ start, text }) => `${start.toFixed(1).padStart(6)} s  ${text}`),
  ];
}

const SHOWN = 10;

function fieldLines(fields: Extracted['fields']): string[] {
  const found = Object.entries(fields).filter(([, { value }]) => value !== null);
  const single = found.filter(([key]) => !/:\d+\./.test(key));
  const cells = found.length - single.length;
  return [
    ...single.slice(0, SHOWN).map(([, { label, value, confidence }]) => {
      const sure = confidence === null ? '' : `${Math.floor(confidence * 100)} %`;
      return `${label.padEnd(24)} ${String(value).slice(0, 60).padEnd(60)} ${sure.padStart(5)}`;
    }),
    `… ${Math.max(0, single.length - SHOWN)} more values, and ${cells} cells of tables`,
  ];
}
