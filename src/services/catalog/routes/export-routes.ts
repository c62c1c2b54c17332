import type { Gateway } from '../../../http/gateway.ts';
import type { Search } from '../search/found.ts';

/** Records as files to take away. */
export function exportRoutes(app: Gateway, { search }: { search: Search }): void {
  void app;
  void search;
}
