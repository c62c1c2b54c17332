/** How many room numbers follow the one before them: `5` or `5а` after `4`, `1-3` after `1-2`. */
export function countSteps(numbers: readonly unknown[]): number {
  const parsed = numbers.map((number) => /^(.*\D)?(\d+)\p{L}?$/u.exec(String(number)));
  return parsed.filter((one, i) => {
    const before = parsed[i - 1];
    return one && before && one[1] === before[1] && Number(one[2]) === Number(before[2]) + 1;
  }).length;
}
