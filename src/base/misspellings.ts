/** `suggestion`: the most similar setting. */
export interface Misspelling {
  readonly name: string;
  readonly suggestion?: string;
}

/**
 * The `names` that are probably misspelt settings: one or two edits away from a known one, or with a prefix of the product
 * (`families`, for example `STT_`). Ignores variables that orchestrators set.
 */
export function findMisspellings(
  names: Iterable<string>,
  { known, families }: { known: ReadonlySet<string>; families: readonly string[] },
): readonly Misspelling[] {
  const found: Misspelling[] = [];
  for (const name of names) {
    if (known.has(name) || LINKED.test(name)) continue;
    const meant = nearest(name, known);
    if (meant !== undefined) found.push({ name, suggestion: meant });
    else if (families.some((family) => name.startsWith(family))) found.push({ name });
  }
  return found;
}

/** Variables that Kubernetes and linked containers set for a service whose name matches a prefix of the product. */
const LINKED = /_(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP))(_|$)|_ENV_/;
/** Shorter names are similar to too many words. */
const MIN_LENGTH = 5;

function nearest(name: string, known: ReadonlySet<string>): string | undefined {
  const upper = name.toUpperCase();
  if (name !== upper && upper.includes('_') && known.has(upper)) return upper;
  const maxEdits = name.length < 8 ? 1 : 2;
  let best: { setting: string; edits: number } | undefined;
  for (const setting of known) {
    if (setting.length < MIN_LENGTH || Math.abs(setting.length - name.length) > maxEdits) continue;
    const edits = editDistance(name, setting);
    if (edits <= maxEdits && edits < (best?.edits ?? Number.POSITIVE_INFINITY)) best = { setting, edits };
  }
  return best?.setting;
}

/** Optimal string alignment distance. */
function editDistance(a: string, b: string): number {
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
