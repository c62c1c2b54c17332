import { queueUnavailable } from '../../../base/api-error.ts';

/** Bounds the space on disk and the memory. Several people may send with the token of a client. */
export const MAX_ARRIVING_ARCHIVES = { ofClient: 3, ofAll: 8 };

/**
 * Limits the batches that arrive at the same time, of one client and of all. A client's second and third one take no place of the last half,
 * so that a few clients with slow connections do not keep out the others.
 */
export function createArrivals({ ofClient, ofAll }: { ofClient: number; ofAll: number }) {
  const arriving: string[] = [];
  return async <T>(principal: string, receive: () => Promise<T>): Promise<T> => {
    const own = arriving.filter((each) => each === principal).length;
    if (own >= ofClient || arriving.length >= (own === 0 ? ofAll : ofAll / 2)) {
      throw queueUnavailable('Other batches are being received; nothing was accepted.');
    }
    arriving.push(principal);
    try {
      return await receive();
    } finally {
      arriving.splice(arriving.indexOf(principal), 1);
    }
  };
}
