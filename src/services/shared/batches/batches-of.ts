import { batchQueue } from '../../../tasks/batch-queue.ts';
import type { TaskService, TaskWork } from '../service.ts';
import { presentCompleted } from './present-batch.ts';

export const BATCH_EVENT = 'batch.completed';

/** The queue of a service's batches, for the delivery of their webhooks. */
export const batchesOf = ({
  name,
  work,
}: TaskService): { name: string; work: Pick<TaskWork, 'present' | 'webhook'> } => ({
  name: batchQueue(name),
  work: { present: presentCompleted, webhook: { event: BATCH_EVENT, secretsFor: work.webhook.secretsFor } },
});
