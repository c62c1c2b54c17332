import { isUnavailable } from '../../base/db-errors.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../http/gateway.ts';
import type { GatewayContext, SharedSettings } from './service.ts';

type SharedOption =
  | 'version'
  | 'log'
  | 'metrics'
  | 'traces'
  | 'trustProxy'
  | 'wrongTokenLimitPerMinute'
  | 'corsAllowOrigins'
  | 'isUnavailable'
  | 'isOutOfService';

export const createListener = (
  { log, metrics, traces, isOutOfService }: GatewayContext,
  { version, trustProxy, wrongTokenLimitPerMinute, corsAllowOrigins }: SharedSettings,
  options: Omit<GatewayOptions, SharedOption>,
): Promise<Gateway> =>
  createGateway({
    ...{ ...options, version, log, metrics, traces, trustProxy, wrongTokenLimitPerMinute },
    ...{ corsAllowOrigins, isUnavailable, isOutOfService },
  });
