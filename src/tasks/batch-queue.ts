/** The queue of a service's batches: they are tasks that no worker claims (docs/decisions/0049-batches.md). */
export const batchQueue = (service: string): string => `${service}.batches`;

/** SQL: the services of the tasks and the batches of a service. */
export const withBatches = (service: string): string => `(${service}, ${service} || '.batches')`;
