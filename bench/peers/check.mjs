// That every contender keeps the same contract, before anything of it is measured.
import assert from 'node:assert/strict';
import { exchange, predict } from './client.mjs';
import { asked, RESULT } from './engines/task.mjs';
import { tell } from './house.mjs';

const LIMIT = 3;

export async function checkContract(contender) {
  const open = await contender.listen(0);
  await checkAnswers(contender, open.url);
  open.child.kill('SIGKILL');

  const limited = await contender.listen(LIMIT);
  const ask = () => exchange(`${limited.url}/predict`, { method: 'POST', body: asked() });
  const answers = await Promise.all(Array.from({ length: LIMIT + 1 }, ask));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [202, 429], 'the limit');
  limited.child.kill('SIGKILL');
  await contender.clear();
}

async function checkAnswers(contender, url) {
  const post = (body, init) => exchange(`${url}/predict`, { method: 'POST', body, ...init });
  const status = async (answer) => (await answer).status;

  assert.equal(await status(post(asked(), { token: null })), 401, 'no token');
  assert.equal(await status(post(asked(), { token: 'another' })), 401, 'another token');
  assert.equal(await status(post({})), 422, 'no image_url');
  assert.equal(await status(post({ ...asked(), priority: 'soon' })), 422, 'an unknown priority');
  const { status: accepted, headers, body } = await post(asked());
  assert.equal(accepted, 202);
  assert.equal(headers.location, body.data.status_url);
  assert.equal(await status(exchange(`${url}/result/01M7VNMBZ6GNKDZ9WQFF487680`)), 404, 'an unknown task');
  const waiting = await exchange(url + body.data.status_url);
  assert.deepEqual([waiting.status, waiting.body.data?.status], [202, 'queued'], JSON.stringify(waiting.body));

  const worker = await contender.worker();
  await tell(worker, 'begin');
  const done = await finished(url, body.data.task_id);
  const { model_version, ...result } = RESULT;
  assert.deepEqual([done.result, done.model_version], [result, model_version]);
  const batch = await predict(url, { ...asked(), priority: 'batch' });
  await finished(url, batch);
  await tell(worker, 'rest');
  worker.kill('SIGKILL');
}

/** Asks until the task is done, and answers what was said of it then. */
export async function finished(url, id) {
  for (;;) {
    const { status, body } = await exchange(`${url}/result/${id}`);
    if (status === 200) return body.data;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
