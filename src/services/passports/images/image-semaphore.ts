import pLimit from 'p-limit';

/** Limits the images that a gateway holds in memory. */
export const withImagePermit = pLimit(4);
