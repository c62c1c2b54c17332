import type { UrlPolicy } from '../../base/outbound-url.ts';
import type { SharedSettings } from '../service.ts';

/**
 * Which addresses the images of imported records may have: those of public hosts, and of our own files. The same rule when
 * a record comes in and when its image is fetched.
 */
export const imagePolicy = ({ filesHost, holes }: Pick<SharedSettings, 'filesHost' | 'holes'>): UrlPolicy => ({
  kind: 'public',
  filesHost,
  holes,
});
