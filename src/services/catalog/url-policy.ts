import type { UrlPolicy } from '../../base/outbound-url.ts';
import type { SharedSettings } from '../shared/service.ts';

/** Images of imported records: public hosts and Assay's own files. */
export const createImagePolicy = ({
  filesHost,
  allowList,
}: Pick<SharedSettings, 'filesHost' | 'allowList'>): UrlPolicy => ({
  kind: 'public',
  filesHost,
  allowList,
});
