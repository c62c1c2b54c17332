import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { OperatorError } from '../../../base/operator-error.ts';
import type { Sample, Split } from './folder.ts';

/**
 * The split of each sample: as labelled, else random from `seed`, about 70 % train, 15 % val and 15 % test per class. A
 * group is never divided. A class needs at least four groups or ungrouped images to be in all splits.
 */
export function assignSplits(samples: readonly Sample[], seed: number): Split[] {
  const splitOfGroup = new Map<string, Split>();
  for (const { group, split } of samples) {
    if (group === undefined || split === undefined) continue;
    const other = splitOfGroup.get(group);
    if (other !== undefined && other !== split) {
      throw new OperatorError(
        `The group ${group} is in two splits, ${other} and ${split}, so the measured accuracy would be invalid.`,
      );
    }
    splitOfGroup.set(group, split);
  }
  const known = samples.map(({ group, split }) => split ?? (group === undefined ? undefined : splitOfGroup.get(group)));
  const hasVal = known.includes('val');
  const hasAny = known.some((split) => split !== undefined);
  // If val is missing, it is taken from train: the test split must stay untouched by model selection.
  const shares: readonly [Split, number][] =
    hasAny && !hasVal
      ? [
          ['train', 0.85],
          ['val', 1],
        ]
      : [
          ['train', 0.7],
          ['val', 0.85],
          ['test', 1],
        ];
  const unassigned = samples.flatMap((_, i) =>
    known[i] === undefined || (hasAny && !hasVal && known[i] === 'train') ? [i] : [],
  );

  const random = xoroshiro128plus(seed);
  const splits = known.map((split) => split ?? 'train');
  for (const stratum of strata(samples, unassigned)) {
    shuffle(stratum, random);
    for (const [at, members] of stratum.entries()) {
      const position = (at + 0.5) / stratum.length;
      const [split] = shares.find(([, end]) => position < end)!;
      for (const i of members) splits[i] = split;
    }
  }
  return splits;
}

/** As lists of indices. A group has the class of its first image. */
function strata(samples: readonly Sample[], unassigned: readonly number[]): number[][][] {
  const groups = new Map<string, number[]>();
  for (const i of unassigned) {
    const key = samples[i]!.group ?? `\0${i}`;
    groups.set(key, [...(groups.get(key) ?? []), i]);
  }
  const classes = new Map<string, number[][]>();
  for (const members of groups.values()) {
    const { surface = '', defect } = samples[members[0]!]!;
    const key = `${surface}\0${defect}`;
    classes.set(key, [...(classes.get(key) ?? []), members]);
  }
  return [...classes.values()];
}

/** Fisher–Yates. */
function shuffle(values: unknown[], random: RandomGenerator): void {
  for (let i = values.length - 1; i > 0; i--) {
    const j = uniformInt(random, 0, i);
    [values[i], values[j]] = [values[j], values[i]];
  }
}
