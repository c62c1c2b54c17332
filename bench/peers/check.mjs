import assert from 'node:assert/strict';
import { exchange, predict } from './client.mjs';
import { RESULT, taskInput } from './engines/task.mjs';
import { command } from './environment.mjs';

const LIMIT = 3;

export async function checkContract(contender) {
  const open = await contender.listen(0);
  await checkAnswers(contender, open.url);
  open.child.kill('SIGKILL');

  const limited = await contender.listen(LIMIT);
  const request = () => exchange(`${limited.url}/predict`, { method: 'POST', body: taskInput() });
  const answers = await Promise.all(Array.from({ length: LIMIT + 1 }, request));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [202, 429], 'the limit');
  limited.child.kill('SIGKILL');
  await contender.clear();
}

async function checkAnswers(contender, url) {
  const post = (body, init) => exchange(`${url}/predict`, { method: 'POST', body, ...init });
  const status = async (answer) => (await answer).status;

  assert.equal(await status(post(taskInput(), { token: null })), 401, 'no token');
  assert.equal(await status(post(taskInput(), { token: 'another' })), 401, 'another token');
  assert.equal(await status(post({})), 422, 'no image_url');
  assert.equal(await status(post({ ...taskInput(), priority: 'soon' })), 422, 'an unknown priority');
  const { status: accepted, headers, body } = await post(taskInput());
  assert.equal(accepted, 202);
  assert.equal(headers.location, body.data.status_url);
  assert.equal(await status(exchange(`${url}/result/01M7VNMBZ6GNKDZ9WQFF487680`)), 404, 'an unknown task');
  const waiting = await exchange(url + body.data.status_url);
  assert.deepEqual([waiting.status, waiting.body.data?.status], [202, 'queued'], JSON.stringify(waiting.body));

  const worker = await contender.worker();
  await command(worker, 'start');
  const done = await finished(url, body.data.task_id);
  const { model_version, ...result } = RESULT;
  assert.deepEqual([done.result, done.model_version], [result, model_version]);
  const batch = await predict(url, { ...taskInput(), priority: 'batch' });
  await finished(url, batch);
  await command(worker, 'stop');
  worker.kill('SIGKILL');
}

export async function finished(url, id) {
  for (;;) {
    const { status, body } = await exchange(`${url}/result/${id}`);
    if (status === 200) return body.data;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
