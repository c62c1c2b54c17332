import { codeOf, withToken } from './access.ts';
import { skip } from './assertion-failure.ts';
import { oncePerRun, type RunContext } from './check.ts';
import type { Exchange } from './exchange.ts';
import { isSuccess, successObject } from './expect.ts';
import { pollUntilFinal } from './poll.ts';
import { isRecord } from './shape.ts';

export type TaskSteps = ReturnType<typeof taskSteps>;

export function taskSteps(create: (context: RunContext) => Promise<Exchange>) {
  /** Read at once, while the task may be in progress. */
  const created = oncePerRun(async (context) => {
    const response = await create(context);
    const code = codeOf(response.json);
    if (code === 'QUEUE_UNAVAILABLE') skip('the deployment accepts no tasks: QUEUE_UNAVAILABLE');
    if (code === 'RATE_LIMIT_EXCEEDED') skip('the rate limit is already reached: RATE_LIMIT_EXCEEDED');
    const id = dataOf(response)['task_id'];
    return { response, first: isSuccess(response) && isId(id) ? await readTask(context, id) : undefined };
  });
  const answered = async (context: RunContext) => (await created(context)).response;
  const accepted = async (context: RunContext) => taskOf(await answered(context));
  const acceptance = async (context: RunContext) => (await accepted(context)).response;
  const firstLook = async (context: RunContext) => (await created(context)).first ?? skip(NO_TASK);
  const final = oncePerRun(async (context) => finalState(context, (await accepted(context)).id));
  return {
    answered,
    /** The created task. Throws `Skip` if none was created, which another check reports. */
    accepted,
    /** Its response. */
    acceptance,
    firstLook,
    states: async (context: RunContext) => [await firstLook(context), await final(context)],
    /** The final state, read again. */
    again: async (context: RunContext) => {
      await final(context);
      return readTask(context, (await accepted(context)).id);
    },
    inProgress: async (context: RunContext) => {
      const response = await firstLook(context);
      return isInProgress(response) ? response : skip('the task ended before its state was read');
    },
    final,
    done: async (context: RunContext) => {
      const response = await final(context);
      if (stateOf(response) === 'failed') skip(`the task failed: ${String(dataOf(response)['error'])}`);
      return response;
    },
  };
}

const NO_TASK = 'no task was created';

export function taskOf(response: Exchange): { response: Exchange; id: string } {
  const id = dataOf(response)['task_id'];
  if (!isSuccess(response) || !isId(id))
    return skip(`${NO_TASK}: POST ${response.request.path} returned ${response.status}`);
  successObject(response);
  return { response, id };
}

/** A further request, if valid ones are accepted at all. */
export const further =
  ({ accepted }: TaskSteps, ask: (context: RunContext) => Promise<Exchange>) =>
  async (context: RunContext) => {
    await accepted(context);
    return ask(context);
  };

export const readTask = (context: RunContext, id: string, headers: Record<string, string> = {}) =>
  context.probe.get(`/result/${encodeURIComponent(id)}`, { ...withToken(context), headers });

export const finalState = (context: RunContext, id: string) =>
  pollUntilFinal(
    context,
    (headers) => readTask(context, id, headers),
    (response) => !isInProgress(response),
  );

export const stateOf = (response: Exchange): unknown => dataOf(response)['status'];

export function dataOf({ json }: Exchange): Record<string, unknown> {
  const data = isRecord(json) ? json['data'] : undefined;
  return isRecord(data) ? data : {};
}

// The states of STT are not all specified: "a task may also be reported as running" (3.2).
const IN_PROGRESS: readonly unknown[] = ['queued', 'processing', 'running', 'pending'];
export const isInProgress = (response: Exchange) => IN_PROGRESS.includes(stateOf(response));
const isId = (id: unknown): id is string => typeof id === 'string' && id !== '';
