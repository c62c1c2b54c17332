import type { Page } from 'playwright-core';

/** Drops files and folders of this machine on the page, as from a file manager. */
export async function drop(page: Page, paths: readonly string[]): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
  await devtools.detach();
}
