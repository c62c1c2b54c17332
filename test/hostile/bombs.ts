import { expect, it } from 'vitest';
import { type Cost, measureCost } from '../support/processes/cost.ts';

/** A cheap input that is expensive to process unless the parser enforces limits. */
export interface Bomb<Payload = Buffer> {
  readonly name: string;
  /** Builds the payload at run time, so that the repository contains no bomb. */
  readonly make: () => Payload | Promise<Payload>;
  /** The only permitted outcome, as the target reports it. */
  readonly ends: string;
  /** Raises the limits of the target for this bomb. */
  readonly limits?: Partial<Cost>;
  /** Slow to build or to reject: runs only with `BOMBS=all`. */
  readonly heavy?: true;
}

export interface Target<Payload = Buffer> {
  send(payload: Payload, bomb: Bomb<Payload>): Promise<string>;
  processes(): Promise<Readonly<Record<string, number>>>;
  checkService(): Promise<void>;
  /** Limits per bomb. An unbounded parser exceeds them about a hundredfold, so a slow machine does not. */
  readonly limits: Cost;
}

/** Defines a test per bomb: it checks the outcome, the cost and that the same processes still serve. */
export function testBombs<Payload>(bombs: readonly Bomb<Payload>[], target: Target<Payload>): void {
  it.each(bombs.filter(({ heavy }) => !heavy || process.env['BOMBS'] === 'all'))(
    '$name: ends as $ends within the CPU and memory limits',
    async (bomb) => {
      const payload = await bomb.make();
      const processesBefore = await target.processes();
      let outcome = 'nothing';
      const cost = await measureCost(Object.values(processesBefore), async () => {
        outcome = await target.send(payload, bomb);
      });
      if (process.env['BOMBS'] === 'all') console.log(bomb.name, '→', outcome, cost);
      expect(outcome).toBe(bomb.ends);
      const most = { ...target.limits, ...bomb.limits };
      expect(cost?.memoryMib ?? 0, 'memory growth in MiB').toBeLessThan(most.memoryMib);
      expect(cost?.cpuSeconds ?? 0, 'CPU seconds').toBeLessThan(most.cpuSeconds);
      await target.checkService();
      expect(await target.processes(), 'process ids after the test').toEqual(processesBefore);
    },
  );
}
