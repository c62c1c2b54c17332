import { queueUnavailable } from '../../../base/api-error.ts';

/** Bounds the space on disk and the memory. Several people may send with the token of a client. */
export const MAX_ARRIVING_ARCHIVES = { ofClient: 3, ofAll: 8 };

/** Limits the batches that arrive at the same time, of one client and of all. */
export function createArrivals({ ofClient, ofAll }: { ofClient: number; ofAll: number }) {
  const arriving: string[] = [];
  return async <T>(principal: string, receive: () => Promise<T>): Promise<T> => {
    if (arriving.length >= ofAll || arriving.filter((each) => each === principal).length >= ofClient) {
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
