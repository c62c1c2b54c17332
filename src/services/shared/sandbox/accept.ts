import { ApiError, eventsExpired } from '../../../base/api-error.ts';
import { isSandboxPrincipal } from '../../../http/sandbox-credential.ts';
import type { GatewayContext } from '../service.ts';
import { queueOf } from './queue.ts';
import type { Sandbox } from './sandbox.ts';

/** The reserved host (RFC 2606). */
export const sandboxUrl = (name: string) => `https://sandbox.invalid/${name}`;

/** Such a URL, or the name of an uploaded file. */
const REFERENCE = /^(?:https:\/\/sandbox\.invalid\/)?([A-Z][A-Z_]{0,63})(?:\.[A-Za-z0-9]{1,8})?$/;

/** Inputs whose last request was rejected `once`, by principal. */
const rejected = new Set<string>();

/** The input that a request of a sandbox credential names; undefined for other credentials. Throws its error response. */
export function sandboxInput(
  sandbox: Sandbox,
  principal: string | undefined,
  field: string,
  reference: string,
): string | undefined {
  if (!isSandboxPrincipal(principal)) return undefined;
  const name = REFERENCE.exec(reference)?.[1] ?? '';
  const input = sandbox.inputs.get(name);
  if (input === undefined) throw sandbox.invalid(`${field}: ${NO_SANDBOX_INPUT}`);
  if (input.response === undefined) return name;
  const key = `${principal} ${name}`;
  if (input.once && rejected.delete(key)) return name;
  if (input.once) rejected.add(key);
  throw input.response();
}

export type SandboxInputReader = ReturnType<typeof createSandboxInputReader>;

/** `sandboxInput` of a service with `EVENTS_EXPIRED`, whose `earliest` is then a valid cursor of the credential. */
export function createSandboxInputReader(options: {
  service: string;
  sandbox: Sandbox;
  context: Pick<GatewayContext, 'events'>;
}) {
  const { service, sandbox, context } = options;
  const { feeds, cursors } = context.events;
  return async (principal: string | undefined, field: string, reference: string): Promise<string | undefined> => {
    try {
      return sandboxInput(sandbox, principal, field, reference);
    } catch (error) {
      if (principal === undefined || !(error instanceof ApiError && error.code === 'EVENTS_EXPIRED')) throw error;
      const feed = { service: queueOf(service, principal), principal };
      const reading = await feeds.read(feed, 'earliest', 0);
      throw reading.outcome === 'page' ? eventsExpired(cursors.serialize(feed, reading.position)) : error;
    }
  };
}

/** The credential was used for real work. */
export const NO_SANDBOX_INPUT =
  'this credential is for the sandbox, which processes only its documented inputs, such as https://sandbox.invalid/SUCCESS or a file named SUCCESS.';
