import { createSemaphore } from '../../../ml/semaphore.ts';

/** Limits the images that a gateway holds in memory. */
export const withImagePermit = createSemaphore(4);
