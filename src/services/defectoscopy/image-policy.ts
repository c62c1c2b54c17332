import type { UrlPolicy } from '../../base/outbound-url.ts';
import type { SharedSettings } from '../service.ts';
import type { Own } from './settings.ts';

export const IMAGE_MAX_BYTES = 20 * 2 ** 20;

/** Checked for the request and again for the download. */
export const imagePolicy = (serviceSettings: Own, shared: SharedSettings): UrlPolicy => ({
  kind: 'allowlist',
  hosts: serviceSettings.allowedImageHosts,
  allowPrivate: serviceSettings.imageHostsAllowPrivate,
  filesHost: shared.filesHost,
  holes: shared.holes,
});

export const imageHosts = (serviceSettings: Own) =>
  serviceSettings.allowedImageHosts.length > 0 ? 'configured' : 'unconfigured';
