import { isWithinEdits } from './edit-distance.ts';

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
  const settings = [...known].filter(({ length }) => length >= MIN_LENGTH);
  const within = (edits: number) => settings.find((setting) => isWithinEdits(name, setting, edits));
  return within(1) ?? (name.length < 8 ? undefined : within(2));
}
