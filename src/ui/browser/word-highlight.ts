/** In seconds. */
export interface TimedElement {
  readonly start: number;
  readonly end: number;
  readonly element: HTMLElement;
}

export function createWordHighlight() {
  let marks: readonly TimedElement[] = [];
  let highlighted: HTMLElement | undefined;

  /** Binary search: there may be tens of thousands of marks. */
  function lastBegun(seconds: number): number {
    let [low, high] = [0, marks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (marks[middle]!.start <= seconds) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  return {
    /** Sorted by start. */
    set(all: readonly TimedElement[]): void {
      marks = all;
      highlighted?.classList.remove('current');
      highlighted = undefined;
    },

    follow(seconds: number, playing: boolean): void {
      const current = marks[lastBegun(seconds)];
      const element = current && seconds < current.end + 0.3 ? current.element : undefined;
      if (element === highlighted) return;
      highlighted?.classList.remove('current');
      element?.classList.add('current');
      highlighted = element;
      if (playing) element?.scrollIntoView({ block: 'nearest' });
    },
  };
}
