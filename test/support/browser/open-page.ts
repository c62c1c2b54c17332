import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { requireTool } from '../require.ts';

/** Disables Chromium's background requests. */
const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--renderer-process-limit=1',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Chromium 156 replaces the widget of a page at every reload and never answers keys typed meanwhile: the test hangs.
  // The first two features are Playwright's own, which this switch replaces.
  '--enable-features=CDPScreenshotNewSurface,SkipListAccountsWithoutGaiaCookies,RenderDocument:level/crashed-frame',
  // Other hosts than this one do not exist.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
  // A fake microphone that beeps, with permission granted.
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
];

export interface OpenedPage {
  readonly page: Page;
  /** Console errors, blocked loads and requests to other hosts. */
  readonly problems: string[];
}

/** One for all files of a test process. It ends with that process. */
let browser: Promise<Browser> | undefined;

/** Opens `url` in a fresh browser context; blocks and records any request to another host. */
export async function openPage(
  test: Parameters<typeof requireTool>[1],
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const executablePath = requireTool('chromium', test);
  browser ??= chromium.launch({ executablePath, args: CHROMIUM_ARGS });
  const context = await (await browser).newContext({
    locale: 'en-GB',
    viewport: { width: 1440, height: 900 },
    ...options,
  });
  onTestFinished(() => context.close());
  const problems: string[] = [];
  const { origin } = new URL(url);
  context.on('request', (request) => {
    const requestUrl = request.url();
    if (!/^(blob|data|about):/.test(requestUrl) && new URL(requestUrl).origin !== origin)
      problems.push(`asks for ${requestUrl}`);
  });
  await context.addInitScript({
    content: `addEventListener('securitypolicyviolation', (event) =>
      console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI));`,
  });
  const page = await context.newPage();
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(url);
  return { page, problems };
}
