import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TOKEN } from './client.mjs';
import { taskInput } from './engines/task.mjs';

const SCRIPT = fileURLToPath(new URL('load.lua', import.meta.url));

export const loadAccept = (url, seconds) => wrk(url, seconds, { BODY: JSON.stringify(taskInput()) });

/** Sends `GET /result/{id}` for random ids; `file` passes them to wrk. */
export function loadPoll(url, seconds, ids, file) {
  writeFileSync(file, ids.join('\n'));
  return wrk(url, seconds, { IDS: file });
}

async function wrk(url, seconds, variables) {
  const args = ['--threads', '1', '--connections', '64', '--duration', `${seconds}s`, '--script', SCRIPT, url];
  const child = spawn('wrk', args, {
    env: { ...process.env, TOKEN, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  await new Promise((resolve) => child.once('close', resolve));
  const [, requests, microseconds, errorResponses, broken] = /^RESULT (\d+) (\d+) (\d+) (\d+)$/m.exec(output) ?? [];
  if (requests === undefined) throw new Error(`wrk printed no result:\n${output}`);
  // Error responses would falsify the result.
  if (Number(errorResponses) + Number(broken) > 0)
    throw new Error(`${errorResponses} error responses, ${broken} broken connections`);
  return { count: Number(requests), perSecond: Number(requests) / (Number(microseconds) / 1e6) };
}
