import type { UrlPolicy } from '../../base/outbound-url.ts';
import type { SharedSettings } from './service.ts';

/** Public https receivers and, with `WEBHOOK_LOOPBACK=allow`, receivers on this machine. */
export const webhookPolicy = ({
  webhookLoopback: loopback,
  allowList,
}: Pick<SharedSettings, 'webhookLoopback' | 'allowList'>): UrlPolicy => ({
  kind: 'webhook',
  loopback,
  loopbackSetting: 'WEBHOOK_LOOPBACK=allow',
  allowList,
});
