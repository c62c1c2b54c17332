/** Returns a function that finds the items whose numbers are between two limits, by rising number. */
export function createRangeIndex<T>(items: readonly T[], numberOf: (item: T) => number) {
  const sorted = items.toSorted((a, b) => numberOf(a) - numberOf(b));
  const numbers = Float64Array.from(sorted, numberOf);
  const firstIndex = (isReached: (number: number) => boolean): number => {
    let [low, high] = [0, numbers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isReached(numbers[middle]!)) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return (above: number, below: number): T[] =>
    sorted.slice(
      firstIndex((number) => number > above),
      firstIndex((number) => number >= below),
    );
}
