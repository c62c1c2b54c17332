import { requireAccess, withToken } from './access.ts';
import { skip } from './assertion-failure.ts';
import { type Fixtures, oncePerRun, type RunContext } from './check.ts';
import type { Exchange } from './exchange.ts';
import { brokenJson, type ProbeRequest } from './probe.ts';
import { isRecord } from './shape.ts';
import { finalState, stateOf, taskOf, taskSteps } from './task.ts';

type FileOptions = { flag: string; type: string; specimen: keyof Fixtures };

/** The requests of a service whose tasks process the file at the address in `field`. */
export function serviceSteps({
  path,
  field,
  defaults = {},
  ...file
}: FileOptions & { path: string; field: string; defaults?: Record<string, unknown> }) {
  const url = oncePerRun((context) => fileUrl(context, file));
  const send = async (context: RunContext, request: ProbeRequest): Promise<Exchange> => {
    await requireAccess(context);
    return context.probe.post(path, { ...withToken(context), ...request });
  };
  const post = (context: RunContext, json: unknown) => send(context, { json });
  const create = async (context: RunContext, overrides: Record<string, unknown> = {}) =>
    post(context, { [field]: await url(context), ...defaults, ...overrides });
  return {
    url,
    post,
    postBroken: (context: RunContext) => send(context, brokenJson(`{"${field}":`)),
    /** A valid request with overrides. */
    create,
    task: taskSteps(create),
    failed: oncePerRun(async (context) => {
      const missing = missingFile(await url(context), context.nonce);
      const response = await finalState(context, taskOf(await create(context, { [field]: missing })).id);
      if (stateOf(response) === 'done') skip(`a task with a missing ${file.specimen} did not fail`);
      return response;
    }),
  };
}

/**
 * A file address for tasks: the given one, or a file uploaded to the deployment. File storage is not part of the
 * specification, so its absence skips the check.
 */
async function fileUrl(context: RunContext, { flag, type, specimen }: FileOptions): Promise<string> {
  if (context.fileUrl !== undefined) return context.fileUrl;
  await requireAccess(context);
  const response = await context.probe.post('/files', {
    ...withToken(context),
    headers: { 'content-type': type },
    body: await context.specimens[specimen](),
  });
  const data = isRecord(response.json) ? response.json['data'] : undefined;
  const url = isRecord(data) ? data['url'] : undefined;
  if (typeof url === 'string' && URL.canParse(url)) return url;
  return skip(`${flag} is missing, and the deployment has no file storage (POST /files returned ${response.status})`);
}

function missingFile(url: string, nonce: string): string {
  const missing = new URL(url);
  missing.pathname += `.conform-${nonce}`;
  missing.search = '';
  return missing.href;
}
