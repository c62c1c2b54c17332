import type { Gateway } from '../../../http/gateway.ts';
import type { Search } from '../search/found.ts';

/** What finds records. */
export function searchRoutes(app: Gateway, { search, secure }: { search: Search; secure: 'auto' | 'always' | 'never' }): void {
  void app;
  void search;
  void secure;
}
