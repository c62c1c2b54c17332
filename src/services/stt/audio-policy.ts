import type { UrlPolicy } from '../../base/outbound-url.ts';
import type { SharedSettings } from '../service.ts';
import type { Own } from './settings.ts';

/** The largest recording, uploaded or downloaded. */
export const AUDIO_MAX_BYTES = 2 ** 30;
/** The longest one. */
export const AUDIO_MAX_SECONDS = 4 * 3600;

/** Which addresses are acceptable: the same rule when a request is checked and when the worker downloads. */
export const audioPolicy = (own: Pick<Own, 'allowedUrlHosts'>, shared: SharedSettings): UrlPolicy => ({
  kind: 'public',
  hosts: own.allowedUrlHosts,
  filesHost: shared.filesHost,
  holes: shared.holes,
});
