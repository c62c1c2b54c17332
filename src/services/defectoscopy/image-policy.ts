import type { UrlPolicy } from '../../base/outbound-url.ts';
import type { SharedSettings } from '../service.ts';
import type { Own } from './settings.ts';

/** The largest image, uploaded or downloaded. */
export const IMAGE_MAX_BYTES = 20 * 2 ** 20;

/** Which image addresses are acceptable: the same rule when a request is checked and when the worker downloads. */
export const imagePolicy = (own: Own, shared: SharedSettings): UrlPolicy => ({
  kind: 'allowlist',
  hosts: own.allowedImageHosts,
  allowPrivate: own.imageHostsAllowPrivate,
  filesHost: shared.filesHost,
  holes: shared.holes,
});

/** Whether any host of strangers was named at all. */
export const imageHosts = (own: Own) => (own.allowedImageHosts.length > 0 ? 'configured' : 'unconfigured');
