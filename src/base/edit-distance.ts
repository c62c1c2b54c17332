/**
 * Whether the optimal string alignment distance of `a` and `b` is at most `most`: insertions, deletions, substitutions and
 * adjacent transpositions (Damerau, CACM 7(3), 1964; row by row as in Wagner and Fischer, JACM 21(1), 1974).
 */
export function isWithinEdits(a: string, b: string, most: number): boolean {
  const [from, to] = [[...a], [...b]];
  if (Math.abs(from.length - to.length) > most) return false;
  let previous: number[] = [];
  let row = to.map((_, j) => j + 1);
  row.unshift(0);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      let least = Math.min(row[j]! + 1, next[j - 1]! + 1, replaced);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        least = Math.min(least, previous[j - 2]! + 1);
      }
      next.push(least);
    }
    if (Math.min(...next) > most) return false;
    [previous, row] = [row, next];
  }
  return row[to.length]! <= most;
}
