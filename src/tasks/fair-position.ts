import { type ClientWeights, costMicros } from './fair-tags.ts';

/** Per client with waiting tasks: virtual microseconds from the front of the queue to its finish tag. */
export type Backlog = Readonly<Record<string, number>>;

export type FairPosition = ReturnType<typeof createFairPosition>;

/** Computes how many waiting tasks start before the next task of a client, from the tags of start-time fair queuing. */
export function createFairPosition(backlog: Backlog, weights: ClientWeights) {
  const clients = Object.entries(backlog)
    .map(([owner, micros]) => ({ micros, cost: costMicros(weights, owner) }))
    .sort((a, b) => a.micros - b.micros);
  /** For the clients from each place on: their number, and their tasks per virtual microsecond. */
  const after = [{ clients: 0, tasksPerMicro: 0 }];
  for (const { cost } of clients.toReversed()) {
    const { clients: count, tasksPerMicro } = after.at(-1)!;
    after.push({ clients: count + 1, tasksPerMicro: tasksPerMicro + 1 / cost });
  }
  after.reverse();
  /** The tasks of the clients before each place. */
  const before = [0];
  for (const { micros, cost } of clients) before.push(before.at(-1)! + Math.round(micros / cost));

  /** Tasks with an earlier tag, or of clients with a longer backlog also the same. */
  const tasksBefore = (tag: number): number => {
    const place = firstAbove(clients, tag);
    const { clients: longer, tasksPerMicro } = after[place]!;
    return before[place]! + Math.floor(tag * tasksPerMicro) + longer;
  };

  return {
    tasksBefore,
    /** `added`: tasks of the client that were accepted since the backlog was read. */
    tasksAhead(owner: string, added: number): number {
      const own = Object.hasOwn(backlog, owner) ? backlog[owner]! : 0;
      return tasksBefore(own + added * costMicros(weights, owner)) + added;
    },
  };
}

/** The index of the first client whose backlog ends after `tag`. */
function firstAbove(clients: readonly { readonly micros: number }[], tag: number): number {
  let [low, high] = [0, clients.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (clients[middle]!.micros <= tag) low = middle + 1;
    else high = middle;
  }
  return low;
}
