import { setTimeout as delay } from 'node:timers/promises';
import type { Receiver } from '../helpers/receiver.ts';
import type { Ground } from './chaos-ground.ts';
import { type Fault, isPossible, STROKES, type Stroke, type StrokeName } from './chaos-strokes.ts';
import { startTraffic, type Traffic } from './chaos-traffic.ts';

export interface Struck {
  readonly stroke: StrokeName;
  /** How long the fault itself lasted. */
  readonly lastedMs: number;
  /** From its end until what it hurt was done again. */
  readonly recoveryMs: number;
}

export interface Chaos {
  readonly struck: readonly Struck[];
  readonly traffic: Traffic;
}

/** Numbers that come again with the same seed (mulberry32). */
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
  /** Strokes go on until then; 0: one round. */
  readonly durationMs: number;
  /** What may happen: to the database, the network and the processes at the same time. */
  readonly strokes: readonly StrokeName[];
  /** In the order given, or in one of the seed's. */
  readonly order: 'given' | 'shuffled';
  /** Hears of each stroke as it begins and ends. */
  readonly tell?: (what: string) => void;
}

/** Steady traffic, and meanwhile one fault after the other; ends when every client has its acknowledgement. */
export async function unleash(ground: Ground, receiver: Receiver, options: ChaosOptions): Promise<Chaos> {
  const { seed, tasks, perSecond, durationMs } = options;
  const gateways = [ground.now('host'), ground.now('gateway')];
  const traffic = await startTraffic({ gateways, receiver, perSecond, dice: random(seed) });
  const struck: Struck[] = [];
  const began = performance.now();

  const strike = async (name: StrokeName, dice: () => number): Promise<Struck> => {
    const stroke: Stroke = STROKES[name];
    const scene = { ground, traffic, dice };
    options.tell?.(name);
    if (laneOf(name) === 'database') await ground.database.ensureRuns();
    await stroke.prepare?.(scene);
    const at = performance.now();
    const recovered = await stroke.strike(scene);
    const over = performance.now();
    await recovered();
    options.tell?.(`${name}: well again`);
    return { stroke: name, lastedMs: over - at, recoveryMs: performance.now() - over };
  };

  let broken = false;
  const isOver = () => broken || (durationMs > 0 && performance.now() - began > durationMs);
  const lane = async (names: readonly StrokeName[], dice: () => number) => {
    if (names.length === 0) return;
    do {
      for (const name of options.order === 'given' ? names : shuffled(names, dice)) {
        if (isOver()) return;
        await delay(dice() * 1000);
        try {
          struck.push(await strike(name, dice));
        } catch (error) {
          broken = true;
          throw new Error(`The stroke "${name}" went wrong: ${(error as Error).message}`, { cause: error });
        }
      }
    } while (durationMs > 0 && !isOver());
  };

  try {
    // Of the dice of each lane only that lane knows, so that a seed means the same however long a recovery takes. Where one
    // goes wrong the others end what they have begun: nothing is to be struck while the ground is cleared.
    const lanes = await Promise.allSettled(
      LANES.map((here, i) =>
        lane(
          options.strokes.filter((name) => laneOf(name) === here && isPossible(name, ground)),
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

/** What is struck at the same time as the others, by one stroke after the other. */
const LANES = ['database', 'network', 'processes'] as const;

function laneOf(name: StrokeName): (typeof LANES)[number] {
  if (/ (database|files)$/.test(name)) return 'database';
  return name.startsWith('partition ') ? 'network' : 'processes';
}

/** The strokes of these faults. */
export const strokesOf = (faults: readonly Fault[]): StrokeName[] =>
  (Object.keys(STROKES) as StrokeName[]).filter((name) => faults.includes(name.split(' ')[0] as Fault));

function shuffled<T>(of: readonly T[], dice: () => number): T[] {
  return of
    .map((each) => ({ each, place: dice() }))
    .sort((a, b) => a.place - b.place)
    .map(({ each }) => each);
}
