/** Chosen: at most 18 such commits a second and process, with arrivals at random; that of a result holds the lock of NOTIFY for one sync. */
const LONE_MS = 20;

/**
 * Whether a statement carries one item and is the first for a while. Its commit then sends its own hint, which saves a
 * round trip; under load hints are separate, because notifying commits serialize on a lock.
 */
export function createLoneCheck(): (items: number) => boolean {
  let lastAt = Number.NEGATIVE_INFINITY;
  return (items) => {
    const isLone = items === 1 && performance.now() - lastAt > LONE_MS;
    lastAt = performance.now();
    return isLone;
  };
}
