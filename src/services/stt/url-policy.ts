import type { UrlPolicy } from '../../base/outbound-url.ts';
import type { SharedSettings } from '../shared/service.ts';
import type { SttSettings } from './settings.ts';

export const AUDIO_MAX_BYTES = 2 ** 30;
export const AUDIO_MAX_SECONDS = 4 * 3600;

/** Checked for the request and again for the download. */
export const audioPolicy = (
  serviceSettings: Pick<SttSettings, 'allowedUrlHosts'>,
  shared: SharedSettings,
): UrlPolicy => ({
  kind: 'public',
  hosts: serviceSettings.allowedUrlHosts,
  filesHost: shared.filesHost,
  allowList: shared.allowList,
});

export const webhookPolicy = (
  { webhookAllowLoopback }: Pick<SttSettings, 'webhookAllowLoopback'>,
  { webhookLoopback, allowList }: SharedSettings,
): UrlPolicy => ({
  kind: 'webhook',
  loopback: webhookAllowLoopback && webhookLoopback,
  loopbackSetting: webhookAllowLoopback ? 'WEBHOOK_LOOPBACK=allow' : 'STT_WEBHOOK_ALLOW_LOOPBACK=true',
  allowList,
});
