import { FetchFailed } from '../../../base/fetch-failed.ts';
import { fileKeyFromUrl } from '../../shared/file-names.ts';
import type { RecordSource } from '../../shared/records.ts';
import type { SharedSettings } from '../../shared/service.ts';
import { readStoredFile } from '../../shared/stored-file.ts';
import { IMPORT_SERVICE } from '../records/entry.ts';
import { createImagePolicy } from '../url-policy.ts';

const IMAGE_MAX_BYTES = 20 * 2 ** 20;

export function importedPictureSource(
  shared: Pick<SharedSettings, 'filesHost' | 'allowList'>,
): Pick<RecordSource, 'service' | 'picture'> {
  const policy = createImagePolicy(shared);
  return {
    service: IMPORT_SERVICE,
    async picture({ fetch, files }, picture, signal) {
      const { url } = picture as { url: string };
      const key = fileKeyFromUrl(url, shared.filesHost);
      if (key !== undefined) {
        const bytes = await readStoredFile(files, key, { maxBytes: IMAGE_MAX_BYTES, signal });
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
