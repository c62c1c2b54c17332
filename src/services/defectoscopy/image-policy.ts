import type { UrlPolicy } from '../../base/outbound-url.ts';
import type { Values } from '../../base/settings.ts';
import type { SharedSettings } from '../service.ts';
import type { settings } from './settings.ts';

/** Which image addresses are acceptable: the same rule when a request is checked and when the worker downloads. */
export const imagePolicy = (own: Values<typeof settings>, shared: SharedSettings): UrlPolicy => ({
  kind: 'allowlist',
  hosts: own.allowedImageHosts,
  allowPrivate: own.imageHostsAllowPrivate,
  filesHost: shared.filesHost,
  holes: shared.holes,
});
