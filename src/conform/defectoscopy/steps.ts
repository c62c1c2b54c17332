import { admitted, asOwner } from '../access.ts';
import { skip } from '../breach.ts';
import { step, type Visit } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { fileUrl, missingFile } from '../file-url.ts';
import { finalState, stateOf, taskOf, taskSteps } from '../task.ts';

export const imageUrl = step((visit) => fileUrl(visit, '--image-url', 'image/jpeg', () => visit.specimens.image()));

/** `POST /predict` with this body. */
export async function predict(visit: Visit, body: unknown): Promise<Exchange> {
  await admitted(visit);
  return visit.probe.post('/predict', { ...asOwner(visit), json: body });
}

/** A good request, with what is given in place of its parts. Whether `priority` is required is not shown: it has one. */
export async function predictImage(visit: Visit, more: Record<string, unknown> = {}): Promise<Exchange> {
  return predict(visit, { image_url: await imageUrl(visit), priority: 'realtime', ...more });
}

export const { answered, accepted, firstLook, inProgress, final, done } = taskSteps(predictImage);

/** The final state of a task whose image is not there. */
export const failed = step(async (visit) => {
  const image_url = missingFile(await imageUrl(visit), visit.nonce);
  const answer = await finalState(visit, taskOf(await predictImage(visit, { image_url })).id);
  if (stateOf(answer) === 'done') skip('a task with an image that should not be there did not fail');
  return answer;
});
