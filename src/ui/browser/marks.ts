/** A piece of text and when it is heard. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  readonly element: HTMLElement;
}

/** Words that a player follows. */
export function openMarks() {
  let marks: readonly Mark[] = [];
  let marked: HTMLElement | undefined;

  /** The last mark that begins at or before this second: there may be tens of thousands. */
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
    /** In the order of their beginnings. */
    set(all: readonly Mark[]): void {
      marks = all;
      marked = undefined;
    },

    /** Marks the word that is heard at this second. */
    follow(seconds: number, playing: boolean): void {
      const now = marks[lastBegun(seconds)];
      const element = now && seconds < now.end + 0.3 ? now.element : undefined;
      if (element === marked) return;
      marked?.classList.remove('now');
      element?.classList.add('now');
      marked = element;
      if (playing) element?.scrollIntoView({ block: 'nearest' });
    },
  };
}
