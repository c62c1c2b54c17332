import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { Static, TObject } from 'typebox';
import { batchNotFound } from '../../../base/api-error.ts';
import type { UrlPolicy } from '../../../base/outbound-url.ts';
import { isSandboxPrincipal } from '../../../http/sandbox-credential.ts';
import { batchQueue } from '../../../tasks/batch-queue.ts';
import type { EstimateSettings } from '../../../tasks/estimates.ts';
import type { Task } from '../../../tasks/task.ts';
import type { TaskDeps } from '../accept-task.ts';
import type { GatewayContext } from '../service.ts';
import type { Archives } from './archive-items.ts';
import { BatchParams } from './batch-schema.ts';
import type { ToTask } from './collect-items.ts';
import type { ResultTable } from './results.ts';

/** What reads and changes batches needs. */
export interface BatchAccess {
  readonly service: string;
  readonly context: Pick<GatewayContext, 'onCancelled'>;
  readonly deps: TaskDeps;
  readonly estimateSettings: EstimateSettings;
  /** The body of the result of a task. */
  readonly present: (task: Task, request: FastifyRequest) => string | Promise<string>;
  readonly table: ResultTable;
  readonly summarize: Summarize;
  /** Default: of tasks, within the rate limit of the token. */
  readonly config?: Pick<FastifyContextConfig, 'access' | 'limited'>;
  /** A token reads only the batches that were created with it. */
  readonly ownTasksOnly: boolean;
  /** Whose tasks the items are, for the limit of waiting tasks. Default: the principal of the batch. */
  readonly clientOf?: (request: FastifyRequest) => string | undefined;
  /** Of `BatchStore.retry`. */
  readonly retry?: Parameters<TaskDeps['tasks']['batches']['retry']>[1];
}

export interface BatchDeps extends BatchAccess {
  /** The body of a single request. */
  readonly item: TObject;
  /** Creates the checks of one request's items. */
  readonly open: (request: FastifyRequest) => ToTask;
  /** Absent without a host of stored files. */
  readonly archives?: Archives | undefined;
  readonly callbacks: UrlPolicy;
}

/** A short text per result, by task id, for lists of items; without those that have none. */
export type Summarize = (
  ids: readonly string[],
  language: 'en' | 'ru',
  request: FastifyRequest,
) => Promise<ReadonlyMap<string, string>>;

const ROUTE_CONFIG = { access: 'task', limited: true } as const;

export const routeConfig = ({ config = ROUTE_CONFIG }: Pick<BatchAccess, 'config'>) => config;

/** The schema of the routes below `/batches/{batch_id}`. */
export const ofBatch = { tags: ['batches'], params: BatchParams };

/** A batch of another principal is hidden if `ownTasksOnly`, and every batch from sandbox credentials. */
export async function requireBatch(
  { service, deps, ownTasksOnly }: BatchAccess,
  { params, principal }: FastifyRequest,
): Promise<Task> {
  if (isSandboxPrincipal(principal)) throw batchNotFound();
  const { batch_id: id } = params as Static<typeof BatchParams>;
  const task = /^[A-Za-z0-9_-]{1,64}$/.test(id) ? await deps.tasks.read(batchQueue(service), id) : undefined;
  if (!task || (ownTasksOnly && task.principal !== principal)) throw batchNotFound();
  return task;
}
