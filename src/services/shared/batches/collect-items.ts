import type { ErrorObject } from 'ajv/dist/2020.js';
import { ApiError, validationError } from '../../../base/api-error.ts';
import type { JsonObject } from '../../../base/json.ts';
import { createJsonLimiter, JSON_LIMITS, JsonTooDeep } from '../../../http/json-limits.ts';
import { messageOf, type Validator } from '../../../http/validation.ts';
import type { Priority } from '../../../tasks/task.ts';
import type { TaskRequest } from '../accept-task.ts';
import { type InvalidItems, invalidBatch, tooManyItems } from './invalid-items.ts';
import type { ItemText, UnreadableItem } from './read-items.ts';

/** The stored requests of one batch: bounds its memory. Vocabularies of a credential count for each item. */
export const MAX_INPUT_BYTES = 64 * 2 ** 20;

/** Checks the body of a single request, parsed and as JSON text; throws an `ApiError` for an invalid one. */
export type ToTask = (body: JsonObject, text: string) => TaskRequest | Promise<TaskRequest>;

/** The requests of all valid items. Reads to the end, and then throws one error for all invalid items unless they are left out. */
export async function collectItems(
  items: AsyncIterable<ItemText | UnreadableItem> | Iterable<ItemText>,
  { validate, toTask, limit, invalid }: { validate: Validator; toTask: ToTask; limit: number; invalid: InvalidItems },
): Promise<TaskRequest[]> {
  const accepted: TaskRequest[] = [];
  let [count, valid, bytes] = [0, 0, 0];
  const limitJson = createJsonLimiter(JSON_LIMITS);
  for await (const item of items) {
    if (++count > limit) throw tooManyItems(limit);
    try {
      if ('problem' in item) throw validationError(item.problem);
      limitJson(Buffer.from(item.text));
      const wanted = await toRequest(item.text, validate, toTask);
      bytes += JSON.stringify(wanted.input).length;
      if (bytes > MAX_INPUT_BYTES) throw tooMuchInput();
      valid++;
      if (invalid.skip || invalid.isEmpty()) accepted.push(wanted);
    } catch (error) {
      if (!(error instanceof JsonTooDeep) && !(error instanceof ApiError && error.status === 422)) throw error;
      invalid.add({ line: item.line, message: error.message });
    }
  }
  if (count === 0) throw invalidBatch('EMPTY_BATCH', 'The batch has no items.');
  invalid.throwIfAny(valid);
  return accepted;
}

export const tooMuchInput = (): ApiError =>
  new ApiError('PAYLOAD_TOO_LARGE', 413, `The items take more than ${MAX_INPUT_BYTES} bytes; nothing was accepted.`);

export async function toRequest(text: string, validate: Validator, toTask: ToTask): Promise<TaskRequest> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw validationError('The item is not valid JSON.');
  }
  // Validation sets the default of a single request, and does not check a member that the service does not have.
  const stated = (body as { priority?: unknown } | null)?.priority;
  const priority: Priority = stated === 'realtime' ? 'realtime' : 'batch';
  if (!validate(body)) {
    const problems = validate.errors as readonly ErrorObject[];
    throw validationError(messageOf({ kind: 'schema', where: 'body', problems }));
  }
  return { ...(await toTask(body as JsonObject, text)), priority };
}
