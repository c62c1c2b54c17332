import type { UrlPolicy } from '../../base/outbound-url.ts';
import type { SharedSettings } from '../service.ts';

/**
 * Allowed image URLs of imported records: public hosts and Assay's own files. Applies when a record is imported and when
 * its image is fetched.
 */
export const imagePolicy = ({ filesHost, holes }: Pick<SharedSettings, 'filesHost' | 'holes'>): UrlPolicy => ({
  kind: 'public',
  filesHost,
  holes,
});
