import { FetchFailed } from '../../../base/fetch-failed.ts';
import { fileKeyOf } from '../../file-names.ts';
import type { RecordSource } from '../../records.ts';
import type { SharedSettings } from '../../service.ts';
import { storedBytes } from '../../stored-bytes.ts';
import { imagePolicy } from '../image-policy.ts';
import { IMPORT } from '../records/entry.ts';

const IMAGE_MAX_BYTES = 20 * 2 ** 20;

export function importedPictures(
  shared: Pick<SharedSettings, 'filesHost' | 'holes'>,
): Pick<RecordSource, 'service' | 'picture'> {
  const policy = imagePolicy(shared);
  return {
    service: IMPORT,
    async picture({ fetch, files }, picture, signal) {
      const { url } = picture as { url: string };
      const key = fileKeyOf(url, shared.filesHost);
      if (key !== undefined) {
        const bytes = await storedBytes(files, key, { maxBytes: IMAGE_MAX_BYTES, signal });
        return typeof bytes === 'string' ? undefined : bytes;
      }
      try {
        return (await fetch(url, { policy, maxBytes: IMAGE_MAX_BYTES, signal })).body;
      } catch (error) {
        if (error instanceof FetchFailed && !error.transient) return undefined;
        throw error;
      }
    },
  };
}
