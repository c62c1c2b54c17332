/**
 * Whether `a` becomes `b` by at most `most` edits: a letter put in, left out, replaced, or two neighbours exchanged
 * (optimal string alignment: Damerau, CACM 7(3), 1964, in the rows of Wagner and Fischer, JACM 21(1), 1974).
 */
export function isNear(a: string, b: string, most: number): boolean {
  const [from, to] = [[...a], [...b]];
  if (Math.abs(from.length - to.length) > most) return false;
  let before: number[] = [];
  let row = to.map((_, j) => j + 1);
  row.unshift(0);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      let least = Math.min(row[j]! + 1, next[j - 1]! + 1, replaced);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        least = Math.min(least, before[j - 2]! + 1);
      }
      next.push(least);
    }
    if (Math.min(...next) > most) return false;
    [before, row] = [row, next];
  }
  return row[to.length]! <= most;
}
