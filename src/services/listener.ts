import { isUnavailable } from '../base/db-errors.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../http/gateway.ts';
import type { GatewayHouse, SharedSettings } from './service.ts';

type FromTheHouse =
  | 'version'
  | 'log'
  | 'metrics'
  | 'traces'
  | 'trustProxy'
  | 'wrongTokensPerMinute'
  | 'corsAllowOrigins'
  | 'isUnavailable'
  | 'isOutOfService';

/** The listener of a service: what it is itself, in the house and under the settings that all of them share. */
export const openListener = (
  { log, metrics, traces, isOutOfService }: GatewayHouse,
  { version, trustProxy, wrongTokenLimitPerMinute, corsAllowOrigins }: SharedSettings,
  own: Omit<GatewayOptions, FromTheHouse>,
): Promise<Gateway> =>
  createGateway({
    ...{ ...own, version, log, metrics, traces, trustProxy, corsAllowOrigins, isUnavailable, isOutOfService },
    wrongTokensPerMinute: wrongTokenLimitPerMinute,
  });
