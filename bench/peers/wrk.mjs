// Load by wrk: one thread and 64 connections that stay open.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TOKEN } from './client.mjs';
import { asked } from './engines/task.mjs';

const SCRIPT = fileURLToPath(new URL('load.lua', import.meta.url));

/** `POST /predict` for so long: how many, and how many a second. */
export const loadAccept = (url, seconds) => wrk(url, seconds, { BODY: JSON.stringify(asked()) });

/** `GET /result/{id}` of these ids at random; `file` is where wrk finds them. */
export function loadPoll(url, seconds, ids, file) {
  writeFileSync(file, ids.join('\n'));
  return wrk(url, seconds, { IDS: file });
}

async function wrk(url, seconds, what) {
  const args = ['--threads', '1', '--connections', '64', '--duration', `${seconds}s`, '--script', SCRIPT, url];
  const child = spawn('wrk', args, { env: { ...process.env, TOKEN, ...what }, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  await new Promise((resolve) => child.once('close', resolve));
  const [, requests, microseconds, refused, broken] = /^RESULT (\d+) (\d+) (\d+) (\d+)$/m.exec(said) ?? [];
  if (requests === undefined) throw new Error(`wrk said no result:\n${said}`);
  // A benchmark of refusals would be a fast one.
  if (Number(refused) + Number(broken) > 0) throw new Error(`${refused} refusals, ${broken} broken connections`);
  return { count: Number(requests), perSecond: Number(requests) / (Number(microseconds) / 1e6) };
}
