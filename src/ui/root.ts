/** The relative path from a page to `/`. URLs are relative so that a proxy can add a path prefix. */
export type Root = '' | `../${string}`;

/** One step up for each slash in the URL's path after the first. */
export function rootOf(url: string): Root {
  const steps = url.split('?', 1)[0]!.split('/').length - 2;
  return steps <= 0 ? '' : `../${'../'.repeat(steps - 1)}`;
}
