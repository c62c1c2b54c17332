import { requireAccess, withToken } from '../access.ts';
import { skip } from '../assertion-failure.ts';
import { oncePerRun, type RunContext } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { fileUrl, missingFile } from '../file-url.ts';
import { finalState, stateOf, taskOf, taskSteps } from '../task.ts';

export const imageUrl = oncePerRun((context) =>
  fileUrl(context, '--image-url', 'image/jpeg', () => context.specimens.image()),
);

export async function predict(context: RunContext, body: unknown): Promise<Exchange> {
  await requireAccess(context);
  return context.probe.post('/predict', { ...withToken(context), json: body });
}

/** A valid request with overrides. Sends `priority`, since the specification does not say whether it is required. */
export async function predictImage(context: RunContext, overrides: Record<string, unknown> = {}): Promise<Exchange> {
  return predict(context, { image_url: await imageUrl(context), priority: 'realtime', ...overrides });
}

export const task = taskSteps(predictImage);

export const failed = oncePerRun(async (context) => {
  const image_url = missingFile(await imageUrl(context), context.nonce);
  const response = await finalState(context, taskOf(await predictImage(context, { image_url })).id);
  if (stateOf(response) === 'done') skip('a task with a missing image did not fail');
  return response;
});
