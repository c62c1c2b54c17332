/**
 * Sent on sign-out; clears the browser cache of this origin. Not `cookies`, which would affect all services and ports of the
 * host, and not `storage`, where other services behind the same origin store their tokens.
 */
export const CLEAR_CACHE = { 'clear-site-data': '"cache"' } as const;
