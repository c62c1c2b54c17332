import { FetchFailed } from '../../../base/fetch-failed.ts';
import type { UrlPolicy } from '../../../base/outbound-url.ts';
import type { RecordSource } from '../../records.ts';
import type { SharedSettings } from '../../service.ts';
import { IMPORT } from '../records/entry.ts';

/** The largest image that is downloaded. */
const IMAGE_MAX_BYTES = 20 * 2 ** 20;

/** Which addresses the images of imported records may have: those of public hosts. */
const importedImagePolicy = ({ holes }: Pick<SharedSettings, 'holes'>): UrlPolicy => ({ kind: 'public', holes });

/** Where the pictures of imported records are had from. */
export function importedPictures(shared: Pick<SharedSettings, 'holes'>): Pick<RecordSource, 'service' | 'picture'> {
  const policy = importedImagePolicy(shared);
  return {
    service: IMPORT,
    async picture({ fetch }, picture, signal) {
      const { url } = picture as { url: string };
      try {
        return (await fetch(url, { policy, maxBytes: IMAGE_MAX_BYTES, signal })).body;
      } catch (error) {
        if (error instanceof FetchFailed && !error.transient) return undefined;
        throw error;
      }
    },
  };
}
