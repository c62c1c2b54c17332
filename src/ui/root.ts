/** The way from a page to the one at `/`: addresses are relative, so that a proxy may put us below a path. */
export type Root = '' | `../${string}`;

/** From the page at this address of ours: one step up for each slash in its path but the first. */
export function rootOf(url: string): Root {
  const steps = url.split('?', 1)[0]!.split('/').length - 2;
  return steps <= 0 ? '' : `../${'../'.repeat(steps - 1)}`;
}
