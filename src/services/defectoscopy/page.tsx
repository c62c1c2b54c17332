import type { Gateway } from '../../http/gateway.ts';

/** The page at `/`. */
export function pageRoutes(_app: Gateway): void {}
