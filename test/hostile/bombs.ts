import { expect, it } from 'vitest';
import { type Cost, costOf } from '../processes/cost.ts';

/** Something that costs its sender little and its reader much, unless the reader looks after itself. */
export interface Bomb<Made = Buffer> {
  readonly name: string;
  /** Made anew for each run, so that no bomb lies in the tree. */
  readonly make: () => Made | Promise<Made>;
  /** All that may come of it: a code, a status, `done`; in the words of the table's own `ending`. */
  readonly ends: string;
  /** Where it may cost more than the rest of its table. */
  readonly most?: Partial<Cost>;
  /** Takes long to make, or to be refused: tried only where `BOMBS=all`. */
  readonly heavy?: true;
}

/** Where the bombs of a table are sent. */
export interface Target<Made = Buffer> {
  /** Sends one, and answers what came of it. */
  ending(made: Made, bomb: Bomb<Made>): Promise<string>;
  /** The processes that it may harm, by name; those that they start are watched with them. */
  processes(): Promise<Readonly<Record<string, number>>>;
  /** Throws unless the next one, that means no harm, is served. */
  honest(): Promise<void>;
  /** What one may cost. A bomb that goes off costs a hundred times as much, so that no slow machine is taken for one. */
  readonly most: Cost;
}

/** A test for each bomb: it ends as its row says, costs no more than it may, and whoever it was sent to serves on. */
export function tryBombs<Made>(bombs: readonly Bomb<Made>[], target: Target<Made>): void {
  it.each(bombs.filter(({ heavy }) => !heavy || process.env['BOMBS'] === 'all'))('$name', async (bomb) => {
    const made = await bomb.make();
    const before = await target.processes();
    let ending = 'nothing';
    const cost = await costOf(Object.values(before), async () => {
      ending = await target.ending(made, bomb);
    });
    if (process.env['BOMBS'] === 'all') console.log(bomb.name, '→', ending, cost);
    expect(ending).toBe(bomb.ends);
    const most = { ...target.most, ...bomb.most };
    expect(cost?.mebibytes ?? 0, 'MiB more than before').toBeLessThan(most.mebibytes);
    expect(cost?.seconds ?? 0, 'seconds of CPU').toBeLessThan(most.seconds);
    await target.honest();
    expect(await target.processes(), 'still the same processes').toEqual(before);
  });
}
