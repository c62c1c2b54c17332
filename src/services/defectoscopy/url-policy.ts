import type { UrlPolicy } from '../../base/outbound-url.ts';
import type { SharedSettings } from '../shared/service.ts';
import type { DefectoscopySettings } from './settings.ts';

export const IMAGE_MAX_BYTES = 20 * 2 ** 20;

/** Checked for the request and again for the download. */
export const imagePolicy = (serviceSettings: DefectoscopySettings, shared: SharedSettings): UrlPolicy => ({
  kind: 'allowlist',
  hosts: serviceSettings.allowedImageHosts,
  allowPrivate: serviceSettings.imageHostsAllowPrivate,
  filesHost: shared.filesHost,
  allowList: shared.allowList,
});

export const imageHosts = (serviceSettings: DefectoscopySettings) =>
  serviceSettings.allowedImageHosts.length > 0 ? 'configured' : 'unconfigured';
