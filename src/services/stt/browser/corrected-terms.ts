/** Longer corrections are sentences, not terms. */
const MAX_WORDS = 3;
/** Of the table of the comparison. Longer changes are rewritten text. */
const MAX_CELLS = 100_000;

/** The words of a corrected text that replaced others, without punctuation around them. */
export function correctedTerms(before: readonly string[], after: readonly string[]): string[] {
  return replacements(before, after).flatMap(([old, now]) => {
    const [wrong, term] = [old, now].map((words) => words.map(withoutPunctuation).join(' ')) as [string, string];
    if (old.length === 0 || now.length > MAX_WORDS || term.length < 3) return [];
    return term.toLowerCase() === wrong.toLowerCase() ? [] : [term];
  });
}

/** The runs of words between the longest common subsequence. */
function replacements(before: readonly string[], after: readonly string[]): [old: string[], now: string[]][] {
  let [from, beforeEnd, afterEnd] = [0, before.length, after.length];
  while (from < Math.min(beforeEnd, afterEnd) && before[from] === after[from]) from++;
  while (Math.min(beforeEnd, afterEnd) > from && before[beforeEnd - 1] === after[afterEnd - 1]) {
    beforeEnd--;
    afterEnd--;
  }
  const [old, now] = [before.slice(from, beforeEnd), after.slice(from, afterEnd)];
  if (old.length * now.length > MAX_CELLS) return [];
  // The length of the longest common subsequence of the words from i and from j.
  const common = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i]![j] = old[i] === now[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const runs: [string[], string[]][] = [];
  let run: [string[], string[]] = [[], []];
  for (let [i, j] = [0, 0]; i < old.length || j < now.length; ) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      runs.push(run);
      run = [[], []];
      i++;
      j++;
    } else if (j === now.length || (i < old.length && common[i + 1]![j]! >= common[i]![j + 1]!)) run[0].push(old[i++]!);
    else run[1].push(now[j++]!);
  }
  return [...runs, run];
}

const withoutPunctuation = (word: string) => /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/u.exec(word)?.[0] ?? '';
