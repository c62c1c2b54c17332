import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../../../src/base/random.ts';
import type { Receiver } from '../receiver.ts';
import type { ChaosCluster } from './chaos-cluster.ts';
import { type Fault, type FaultScenario, isPossible, SCENARIOS, type ScenarioName } from './chaos-faults.ts';
import { startTraffic, type Traffic } from './chaos-traffic.ts';

export interface InjectedFault {
  readonly scenario: ScenarioName;
  readonly lastedMs: number;
  /** From the end of the fault to recovery. */
  readonly recoveryMs: number;
}

export interface ChaosResult {
  readonly injected: readonly InjectedFault[];
  readonly traffic: Traffic;
}

export interface ChaosOptions {
  readonly seed: number;
  readonly tasks: number;
  readonly perSecond: number;
  /** Duration of fault injection; 0: each fault once. */
  readonly durationMs: number;
  readonly scenarios: readonly ScenarioName[];
  readonly order: 'given' | 'shuffled';
  /** Called at the beginning and end of each fault. */
  readonly log?: (what: string) => void;
}

/** Injects faults under steady traffic; resolves when every client has its acknowledgement. */
export async function runChaos(cluster: ChaosCluster, receiver: Receiver, options: ChaosOptions): Promise<ChaosResult> {
  const { seed, tasks, perSecond, durationMs } = options;
  const gateways = [cluster.currentProcess('host'), cluster.currentProcess('gateway')];
  const traffic = await startTraffic({ gateways, receiver, perSecond, dice: createRandom(seed) });
  const struck: InjectedFault[] = [];
  const began = performance.now();

  const injectFault = async (name: ScenarioName, dice: () => number): Promise<InjectedFault> => {
    const scenario: FaultScenario = SCENARIOS[name];
    const context = { cluster, traffic, dice };
    options.log?.(name);
    if (laneOf(name) === 'database') await cluster.database.ensureRunning();
    await scenario.prepare?.(context);
    const at = performance.now();
    const recovered = await scenario.inject(context);
    const endedAt = performance.now();
    await recovered();
    options.log?.(`${name}: recovered`);
    return { scenario: name, lastedMs: endedAt - at, recoveryMs: performance.now() - endedAt };
  };

  let hasFailed = false;
  const isOver = () => hasFailed || (durationMs > 0 && performance.now() - began > durationMs);
  const runLane = async (names: readonly ScenarioName[], dice: () => number) => {
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
          options.scenarios.filter((name) => laneOf(name) === laneName && isPossible(name, cluster)),
          createRandom(seed + 1 + i),
        ),
      ),
    );
    for (const { reason } of lanes.filter((each) => each.status === 'rejected')) throw reason;
    await traffic.finish(tasks);
  } catch (error) {
    traffic.stop();
    throw error;
  }
  return { injected: struck, traffic };
}

/** Lanes run concurrently; the faults of one lane run one after the other. */
const LANES = ['database', 'network', 'processes'] as const;

function laneOf(name: ScenarioName): (typeof LANES)[number] {
  if (/ (database|files)$/.test(name)) return 'database';
  return name.startsWith('partition ') ? 'network' : 'processes';
}

export const scenariosOf = (faults: readonly Fault[]): ScenarioName[] =>
  (Object.keys(SCENARIOS) as ScenarioName[]).filter((name) => faults.includes(name.split(' ')[0] as Fault));

function shuffled<T>(of: readonly T[], dice: () => number): T[] {
  return of
    .map((each) => ({ each, place: dice() }))
    .sort((a, b) => a.place - b.place)
    .map(({ each }) => each);
}
