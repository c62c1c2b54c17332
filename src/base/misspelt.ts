/** A variable that looks like a setting and is none; `meant` is the one that it nearly is. */
export interface Misspelt {
  readonly name: string;
  readonly meant?: string;
}

/**
 * Those of `names` that somebody may have meant for a setting: a letter or two away from one that is known, or below one
 * of the `families` (`STT_`), which are nobody else's. What orchestrators put there by themselves is left out.
 */
export function misspelt(
  names: Iterable<string>,
  { known, families }: { known: ReadonlySet<string>; families: readonly string[] },
): readonly Misspelt[] {
  const found: Misspelt[] = [];
  for (const name of names) {
    if (known.has(name) || LINKED.test(name)) continue;
    const meant = nearest(name, known);
    if (meant !== undefined) found.push({ name, meant });
    else if (families.some((family) => name.startsWith(family))) found.push({ name });
  }
  return found;
}

/** What Kubernetes and linked containers say of a neighbour that happens to be called like a service of ours. */
const LINKED = /_(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP))(_|$)|_ENV_/;
/** Shorter names are near too many words. */
const SHORTEST = 5;

function nearest(name: string, known: ReadonlySet<string>): string | undefined {
  const upper = name.toUpperCase();
  if (name !== upper && upper.includes('_') && known.has(upper)) return upper;
  const most = name.length < 8 ? 1 : 2;
  let best: { setting: string; edits: number } | undefined;
  for (const setting of known) {
    if (setting.length < SHORTEST || Math.abs(setting.length - name.length) > most) continue;
    const edits = editsBetween(name, setting);
    if (edits <= most && edits < (best?.edits ?? Number.POSITIVE_INFINITY)) best = { setting, edits };
  }
  return best?.setting;
}

/** Letters put in, left out or changed, and neighbours swapped (the optimal string alignment distance). */
function editsBetween(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let edits = Math.min(above[column]! + 1, line[column - 1]! + 1, above[column - 1]! + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) edits = Math.min(edits, before[column - 2]! + 1);
      line.push(edits);
    }
    before = above;
    above = line;
  }
  return above[b.length]!;
}
