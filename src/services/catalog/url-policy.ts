import type { UrlPolicy } from '../../base/outbound-url.ts';
import type { SharedSettings } from '../shared/service.ts';

/** Images of imported records: public hosts and Assay's own files. */
export const createImagePolicy = ({ filesHost, holes }: Pick<SharedSettings, 'filesHost' | 'holes'>): UrlPolicy => ({
  kind: 'public',
  filesHost,
  allowList: holes,
});
