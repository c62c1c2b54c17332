import { setTimeout as delay } from 'node:timers/promises';
import type { Receiver } from '../helpers/receiver.ts';
import type { Ground } from './chaos-ground.ts';
import { type Fault, isPossible, STROKES, type Stroke, type StrokeName } from './chaos-strokes.ts';
import { startTraffic, type Traffic } from './chaos-traffic.ts';

export interface Struck {
  readonly stroke: StrokeName;
  readonly lastedMs: number;
  /** From the end of the fault to recovery. */
  readonly recoveryMs: number;
}

export interface Chaos {
  readonly struck: readonly Struck[];
  readonly traffic: Traffic;
}

/** A seeded random number generator (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface ChaosOptions {
  readonly seed: number;
  readonly tasks: number;
  readonly perSecond: number;
  /** Duration of fault injection; 0: each fault once. */
  readonly durationMs: number;
  readonly strokes: readonly StrokeName[];
  readonly order: 'given' | 'shuffled';
  /** Called at the beginning and end of each fault. */
  readonly tell?: (what: string) => void;
}

/** Injects faults under steady traffic; resolves when every client has its acknowledgement. */
export async function unleash(cluster: Ground, receiver: Receiver, options: ChaosOptions): Promise<Chaos> {
  const { seed, tasks, perSecond, durationMs } = options;
  const gateways = [cluster.now('host'), cluster.now('gateway')];
  const traffic = await startTraffic({ gateways, receiver, perSecond, dice: random(seed) });
  const struck: Struck[] = [];
  const began = performance.now();

  const injectFault = async (name: StrokeName, dice: () => number): Promise<Struck> => {
    const scenario: Stroke = STROKES[name];
    const context = { cluster, traffic, dice };
    options.tell?.(name);
    if (laneOf(name) === 'database') await cluster.database.ensureRuns();
    await scenario.prepare?.(context);
    const at = performance.now();
    const recovered = await scenario.strike(context);
    const endedAt = performance.now();
    await recovered();
    options.tell?.(`${name}: recovered`);
    return { stroke: name, lastedMs: endedAt - at, recoveryMs: performance.now() - endedAt };
  };

  let hasFailed = false;
  const isOver = () => hasFailed || (durationMs > 0 && performance.now() - began > durationMs);
  const runLane = async (names: readonly StrokeName[], dice: () => number) => {
    if (names.length === 0) return;
    do {
      for (const name of options.order === 'given' ? names : shuffled(names, dice)) {
        if (isOver()) return;
        await delay(dice() * 1000);
        try {
          struck.push(await injectFault(name, dice));
        } catch (error) {
          hasFailed = true;
          throw new Error(`The fault "${name}" failed: ${(error as Error).message}`, { cause: error });
        }
      }
    } while (durationMs > 0 && !isOver());
  };

  try {
    // Each lane has its own generator, so that a seed gives the same faults at any recovery speed. If one lane fails, the
    // others finish their current fault before cleanup.
    const lanes = await Promise.allSettled(
      LANES.map((laneName, i) =>
        runLane(
          options.strokes.filter((name) => laneOf(name) === laneName && isPossible(name, cluster)),
          random(seed + 1 + i),
        ),
      ),
    );
    for (const { reason } of lanes.filter((each) => each.status === 'rejected')) throw reason;
    await traffic.finish(tasks);
  } catch (error) {
    traffic.abandon();
    throw error;
  }
  return { struck, traffic };
}

/** Lanes run concurrently; the faults of one lane run one after the other. */
const LANES = ['database', 'network', 'processes'] as const;

function laneOf(name: StrokeName): (typeof LANES)[number] {
  if (/ (database|files)$/.test(name)) return 'database';
  return name.startsWith('partition ') ? 'network' : 'processes';
}

export const strokesOf = (faults: readonly Fault[]): StrokeName[] =>
  (Object.keys(STROKES) as StrokeName[]).filter((name) => faults.includes(name.split(' ')[0] as Fault));

function shuffled<T>(of: readonly T[], dice: () => number): T[] {
  return of
    .map((each) => ({ each, place: dice() }))
    .sort((a, b) => a.place - b.place)
    .map(({ each }) => each);
}
