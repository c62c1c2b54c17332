import pLimit from 'p-limit';

/**
 * Limits the images that a gateway holds in memory, and leaves 2 of the 4 threads of libuv to files and name resolution:
 * a decoder occupies one for up to 20 s.
 */
export const withImagePermit = pLimit(2);
