import type { JsonObject } from '../../../base/json.ts';
import type { Recorded } from '../result.ts';

/** The classes that a reviewer sees on a photo. */
export interface Labels {
  readonly surface: string;
  readonly master: string;
  /** The main defect first; empty if the photo shows none. */
  readonly defects: readonly string[];
}

/** What a worker advertises of the version that made the result. */
export interface Classes {
  /** Empty if they are unknown. */
  readonly surfaces: readonly string[];
  readonly masters: Readonly<Record<string, readonly string[]>>;
  readonly sound: string;
}

export const classesOf = (details: JsonObject | undefined): Classes | undefined =>
  details as unknown as Classes | undefined;

/** The labels that the result states. */
export const labelsOf = ({ surface, masters, defects }: Recorded): Labels => ({
  surface,
  master: masters[0]?.name ?? '',
  defects: defects.map(({ name }) => name),
});

/**
 * Why labels cannot be a correction of the labels that a version with these classes recorded; undefined if they can. The
 * recorded labels always can: their group, from a head of its own, may differ from the group of the first defect.
 */
export function problemOf(labels: Labels, recorded: Labels, { surfaces, masters, sound }: Classes): string | undefined {
  if (isEqual(labels, recorded)) return undefined;
  const { surface, master, defects } = labels;
  if (surfaces.length > 0 && surface !== recorded.surface && !surfaces.includes(surface))
    return 'surface: unknown class.';
  if (!Object.hasOwn(masters, master)) return 'master: unknown class.';
  const known = Object.values(masters).flat();
  if (defects.some((name) => !known.includes(name))) return 'defects: unknown class.';
  if (new Set(defects).size < defects.length) return 'defects: a class is listed twice.';
  const [main] = defects;
  if (main === undefined) return master === sound ? undefined : `defects: empty only with the master ${sound}.`;
  return masters[master]!.includes(main) ? undefined : 'master: must be the group of the first defect.';
}

export const isEqual = (a: Labels, b: Labels): boolean =>
  a.surface === b.surface && a.master === b.master && a.defects.join('\n') === b.defects.join('\n');
