import { isSandboxPrincipal } from '../../../http/sandbox-credential.ts';

const SUFFIX = '.sandbox';

/** Sandbox tasks have a queue of their own, in place of their service, so that no worker, statistic or index reads them. */
export const sandboxQueue = (service: string) => `${service}${SUFFIX}`;

/** Deadline of a sandbox task: bounds what is stored while nothing processes it. */
export const SANDBOX_DEADLINE_SECONDS = 60;

export const isSandboxQueue = (queue: string): boolean => queue.endsWith(SUFFIX);

/** The service whose tasks a queue has. */
export const serviceOfQueue = (queue: string): string =>
  isSandboxQueue(queue) ? queue.slice(0, -SUFFIX.length) : queue;

/** The queue of the tasks that a principal creates and reads. */
export const queueOf = (service: string, principal: string | undefined): string =>
  isSandboxPrincipal(principal) ? sandboxQueue(service) : service;
