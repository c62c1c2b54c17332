/**
 * The header of a sign-out: the browser removes what it has in its cache from this origin. Not `cookies`, which would remove
 * those of every service and port of the host, and not `storage`, where pages of defectoscopy and speech to text keep their
 * tokens if a proxy puts all services below one origin; the pages that sign in with a cookie store nothing there.
 */
export const CLEAR_CACHE = { 'clear-site-data': '"cache"' } as const;
