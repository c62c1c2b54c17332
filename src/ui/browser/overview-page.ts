import { byId } from './dom.ts';
import { askAnew, exchange } from './fresh.ts';
import type { OverviewData } from './overview-data.ts';
import { pageData } from './page-data.ts';

const { everyMs } = pageData<OverviewData>().own;

/** The page as the service serves it now, place by place; what has not changed is left alone. */
async function renew(): Promise<void> {
  const fresh = await askAnew();
  byId('offline').hidden = fresh !== undefined;
  if (fresh === undefined) return;
  for (const place of document.querySelectorAll<HTMLElement>('[data-fresh]')) {
    const now = fresh.querySelector(`[data-fresh="${CSS.escape(place.dataset['fresh'] ?? '')}"]`);
    if (now !== null && !place.isEqualNode(now)) exchange(place, now);
  }
}

// One question at a time, and none that nobody looks at.
let asking = false;
async function look(): Promise<void> {
  if (asking || document.hidden) return;
  asking = true;
  await renew().finally(() => {
    asking = false;
  });
}

setInterval(() => void look(), everyMs);
document.addEventListener('visibilitychange', () => void look());
