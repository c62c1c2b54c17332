import { asOwner, codeOf } from './access.ts';
import { skip } from './breach.ts';
import { step, type Visit } from './check.ts';
import type { Exchange } from './exchange.ts';
import { dataObject, isSuccess } from './expect.ts';
import { untilFinal } from './poll.ts';
import { isRecord } from './shape.ts';

type Create = (visit: Visit, more?: Record<string, unknown>) => Promise<Exchange>;

/** One task of defectoscopy or STT, from its creation by a good request to its end: what most checks look at. */
export function taskSteps(create: Create) {
  /** It is looked at right away: later it may be finished. */
  const begun = step(async (visit) => {
    const answer = await create(visit);
    const code = codeOf(answer.json);
    if (code === 'QUEUE_UNAVAILABLE') skip('the deployment takes no tasks now: QUEUE_UNAVAILABLE');
    if (code === 'RATE_LIMIT_EXCEEDED') skip('the limit of requests is reached already: RATE_LIMIT_EXCEEDED');
    const id = dataOf(answer)['task_id'];
    return { answer, first: isSuccess(answer) && isId(id) ? await readTask(visit, id) : undefined };
  });
  const answered = async (visit: Visit) => (await begun(visit)).answer;
  const accepted = async (visit: Visit) => taskOf(await answered(visit));
  const firstLook = async (visit: Visit) => (await begun(visit)).first ?? skip(NO_TASK);
  const final = step(async (visit) => finalState(visit, (await accepted(visit)).id));
  return {
    /** The answer to the request; throws a `Skip` where the deployment takes no tasks now. */
    answered,
    /** The task with that answer; throws a `Skip` where none was created, which another check tells of. */
    accepted,
    /** The state right after it was created. */
    firstLook,
    /** The same where the task was still in progress. */
    inProgress: async (visit: Visit) => {
      const answer = await firstLook(visit);
      return isInProgress(answer) ? answer : skip('the task had ended before it was first asked for');
    },
    /** The state that it ended in. */
    final,
    /** The same where it is done. */
    done: async (visit: Visit) => {
      const answer = await final(visit);
      if (stateOf(answer) === 'failed') skip(`the task failed: ${String(dataOf(answer)['error'])}`);
      return answer;
    },
  };
}

const NO_TASK = 'no task was created';

/** The task that was accepted; throws a `Skip` where none was. */
export function taskOf(answer: Exchange): { answer: Exchange; data: Record<string, unknown>; id: string } {
  const id = dataOf(answer)['task_id'];
  if (!isSuccess(answer) || !isId(id)) return skip(`${NO_TASK}: POST ${answer.asked.path} answered ${answer.status}`);
  return { answer, data: dataObject(answer), id };
}

export const readTask = (visit: Visit, id: string, headers: Record<string, string> = {}) =>
  visit.probe.get(`/result/${encodeURIComponent(id)}`, { ...asOwner(visit), headers });

/** The state that the task ends in; throws a `Skip` where that takes too long. */
export const finalState = (visit: Visit, id: string) =>
  untilFinal(
    visit,
    (headers) => readTask(visit, id, headers),
    (answer) => !isInProgress(answer),
  );

/** `data.status`, whatever it is. */
export const stateOf = (answer: Exchange): unknown => dataOf(answer)['status'];

/** `data` where it is an object, and otherwise an empty one: for a look that judges nothing. */
export function dataOf({ json }: Exchange): Record<string, unknown> {
  const data = isRecord(json) ? json['data'] : undefined;
  return isRecord(data) ? data : {};
}

// Of STT the words are not all shown: "a task may also be reported as running" (3.2).
const IN_PROGRESS: readonly unknown[] = ['queued', 'processing', 'running', 'pending'];
const isInProgress = (answer: Exchange) => IN_PROGRESS.includes(stateOf(answer));
const isId = (id: unknown): id is string => typeof id === 'string' && id !== '';
