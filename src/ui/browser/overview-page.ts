import { byId } from './dom.ts';
import { pageData } from './page-data.ts';
import { fetchPage, replaceFresh } from './refresh.ts';

const { everyMs } = pageData<{ everyMs: number }>().data;

async function updatePage(): Promise<void> {
  const latest = await fetchPage();
  byId('offline').hidden = latest !== undefined;
  if (latest !== undefined) replaceFresh(latest);
}

// One request at a time, and none while the page is hidden.
let isUpdating = false;
async function updateIfVisible(): Promise<void> {
  if (isUpdating || document.hidden) return;
  isUpdating = true;
  await updatePage().finally(() => {
    isUpdating = false;
  });
}

setInterval(() => void updateIfVisible(), everyMs);
document.addEventListener('visibilitychange', () => void updateIfVisible());
