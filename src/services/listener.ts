import { isUnavailable } from '../base/db.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../http/gateway.ts';
import type { GatewayHouse, SharedSettings } from './service.ts';

type FromTheHouse = 'version' | 'log' | 'metrics' | 'traces' | 'trustProxy' | 'corsAllowOrigins' | 'isUnavailable';

/** The listener of a service: what it is itself, in the house and under the settings that all of them share. */
export const openListener = (
  { log, metrics, traces }: GatewayHouse,
  { version, trustProxy, corsAllowOrigins }: SharedSettings,
  own: Omit<GatewayOptions, FromTheHouse>,
): Promise<Gateway> =>
  createGateway({ ...own, version, log, metrics, traces, trustProxy, corsAllowOrigins, isUnavailable });
