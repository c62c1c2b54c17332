import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Recorded } from '../../src/services/stt/result.ts';
import { openPage } from '../support/browser/open-page.ts';
import { findViolations } from '../support/browser/page-checks.ts';
import { type Product, startProduct, TOKEN } from '../support/product.ts';
import { createFakeSpeechModel, createSilence } from '../support/speech/fake-model.ts';

const SECONDS = 6;
const TEXTS = ['The north wall shows a crack.', 'It is treated with shot creed.', 'The work ends today.'];

/** Segments of two seconds, with words of equal duration; "shot" has a low confidence. */
function recorded(texts: readonly string[]): Recorded {
  const segments = texts.map((text, i) => ({ start: 2 * i, end: 2 * i + 2, text }));
  const words = segments.flatMap(({ start, text }) => {
    const parts = text.split(' ');
    const each = 2 / parts.length;
    return parts.map((part, i) => ({
      ...{ start: start + i * each, end: start + (i + 1) * each, text: part },
      confidence: part === 'shot' ? 0.3 : 0.9,
    }));
  });
  const duration_seconds = 2 * texts.length;
  return { transcription: texts.join(' '), service: 'local', language: 'en', duration_seconds, segments, words };
}

const until = (check: () => Promise<unknown>) => expect.poll(check, { timeout: 10_000, interval: 50 });

describe('The transcript editor', () => {
  let product: Product;
  beforeAll(async () => {
    // Every edit is a request.
    product = await startProduct({ service: 'stt', env: { STT_RATE_LIMIT_PER_MINUTE: '10000' } });
  });
  afterAll(() => product.stop());

  async function open(test: Parameters<typeof openPage>[0], options: { locale?: string; result?: Recorded } = {}) {
    const { result = recorded(TEXTS), ...context } = options;
    let taskId = '';
    const run = async ({ id }: { id: string }) => {
      taskId = id;
      return { result: result as never };
    };
    onTestFinished(await product.startWorker(createFakeSpeechModel({ run })));
    const opened = await openPage(test, `${product.url}/#token=${TOKEN}`, context);
    const buffer = createSilence(SECONDS);
    await opened.page.locator('#file').setInputFiles({ name: 'note.wav', mimeType: 'audio/wav', buffer });
    await until(() => opened.page.locator('#edit').count()).toBe(1);
    const stored = async () => (await product.call(`/result/${taskId}/transcript?format=json`)).body.data;
    const put = (segments: Recorded['segments']) =>
      product.call(`/result/${taskId}/transcript`, { method: 'PUT', body: { segments } });
    return { ...opened, stored, put, texts: async () => (await stored()).segments.map((each: any) => each.text) };
  }
  const field = (page: Page) => page.locator('#transcript textarea');
  const value = (page: Page) => field(page).inputValue();
  const status = (page: Page) => until(() => page.locator('#edit-state').textContent());
  const edit = async (page: Page) => {
    await page.locator('#edit').focus();
    await page.keyboard.press('Enter');
    await until(() => field(page).count()).toBe(1);
  };

  it('corrects, splits and merges with the keyboard alone', async (test) => {
    const { page, problems, texts, stored } = await open(test);
    const press = (...keys: readonly string[]) =>
      keys.reduce((p, key) => p.then(() => page.keyboard.press(key)), Promise.resolve());
    await edit(page);
    expect(await value(page)).toBe(TEXTS[0]);
    await press('Control+End', 'Backspace');
    await page.keyboard.type('!');
    await press('Enter');
    await until(() => value(page)).toBe(TEXTS[1]);
    await until(texts).toEqual(['The north wall shows a crack!', TEXTS[1], TEXTS[2]]);
    await press('Shift+Enter');
    expect(await value(page)).toBe('The north wall shows a crack!');

    await press('Control+Home', 'Control+ArrowRight', 'Control+ArrowRight', 'Control+Enter');
    await until(() => value(page)).toBe('wall shows a crack!');
    await until(texts).toEqual(['The north', 'wall shows a crack!', TEXTS[1], TEXTS[2]]);
    const { segments } = await stored();
    expect(segments[0].end).toBe(segments[1].start);
    expect(segments[1].start).toBeGreaterThan(0.5);

    await press('Backspace');
    await until(() => value(page)).toBe('The north wall shows a crack!');
    await press('Control+End', 'Delete');
    await until(texts).toEqual([`The north wall shows a crack! ${TEXTS[1]}`, TEXTS[2]]);

    await press('Enter', 'Control+A', 'Delete', 'Shift+Enter');
    await until(texts).toEqual([`The north wall shows a crack! ${TEXTS[1]}`]);
    await press('Escape');
    await until(() => page.evaluate<string>('document.activeElement.id')).toBe('edit');
    await status(page).toBe('Saved');
    expect(problems).toEqual([]);
  });

  it('moves the player with the segment, and plays from the cursor', { tags: ['full'] }, async (test) => {
    const { page, problems } = await open(test);
    const at = () => page.evaluate<number>('document.querySelector("#audio").currentTime');
    const paused = () => page.evaluate<boolean>('document.querySelector("#audio").paused');
    await edit(page);
    await page.keyboard.press('Enter');
    await until(at).toBe(2);
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Control+ArrowLeft');
    await page.keyboard.press('Alt+Enter');
    await until(at).toBeGreaterThan(3.8);
    await page.keyboard.press('Alt+Enter');
    await until(paused).toBe(true);
    const pausedAt = await at();
    await page.keyboard.press('Alt+Enter');
    await until(paused).toBe(false);
    expect(await at(), 'continues').toBeGreaterThanOrEqual(pausedAt);
    await page.keyboard.press('Alt+Enter');
    await until(paused).toBe(true);
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Alt+Enter');
    await until(paused).toBe(false);
    expect(await at(), 'plays from the cursor').toBeLessThan(3);
    expect(problems).toEqual([]);
  });

  it('plays a segment to its end, and from the cursor beyond it', { tags: ['full'] }, async (test) => {
    const { page, problems } = await open(test);
    const at = () => page.evaluate<number>('document.querySelector("#audio").currentTime');
    const paused = () => page.evaluate<boolean>('document.querySelector("#audio").paused');
    await edit(page);
    await page.keyboard.press('Alt+Shift+Enter');
    await until(at).toBeGreaterThan(0);
    await until(paused).toBe(true);
    expect(await at()).toBeGreaterThanOrEqual(2);
    expect(await at()).toBeLessThan(2.5);
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Alt+Enter');
    await until(at).toBeGreaterThan(2.6);
    expect(await paused()).toBe(false);
    await page.getByRole('button', { name: 'Play segment' }).click();
    await until(at).toBeLessThan(1);
    await field(page).press('Enter');
    await until(at).toBeGreaterThan(2.2);
    expect(await paused(), 'the next segment continues').toBe(false);
    expect(problems).toEqual([]);
  });

  it('undoes merges, splits, deletions and edits, and keeps the changes of others', {
    tags: ['full'],
  }, async (test) => {
    const { page, put, problems, texts } = await open(test);
    const undo = () => page.keyboard.press('Control+Z');
    await edit(page);
    expect(await page.locator('#undo').isDisabled()).toBe(true);
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Delete');
    await until(texts).toEqual([`${TEXTS[0]} ${TEXTS[1]}`, TEXTS[2]]);
    await undo();
    await until(texts).toEqual(TEXTS);
    expect(await value(page)).toBe(TEXTS[0]);
    expect(await page.locator('#live').textContent()).toBe('Change undone');
    expect(await page.locator('#undo').isDisabled()).toBe(true);

    for (const key of ['Control+Home', 'Control+ArrowRight', 'Control+Enter']) await page.keyboard.press(key);
    await until(texts).toEqual(['The', 'north wall shows a crack.', TEXTS[1], TEXTS[2]]);
    for (const key of ['Control+A', 'Delete', 'Enter']) await page.keyboard.press(key);
    await until(texts).toEqual(['The', TEXTS[1], TEXTS[2]]);
    await page.keyboard.press('Control+End');
    await page.keyboard.type('!');
    await undo();
    expect(await value(page), 'the field undoes what was typed').toBe(TEXTS[1]);
    await undo();
    await until(texts).toEqual(['The', 'north wall shows a crack.', TEXTS[1], TEXTS[2]]);
    await status(page).toBe('Saved');
    const changed = (await texts()).map((text: string, i: number) => (i === 3 ? 'The work ends tomorrow.' : text));
    const starts = [0, 1 / 3, 2, 4];
    await put(changed.map((text: string, i: number) => ({ start: starts[i]!, end: starts[i + 1] ?? 6, text })));
    await page.locator('#undo').focus();
    await page.keyboard.press('Enter');
    await until(texts).toEqual([TEXTS[0], TEXTS[1], 'The work ends tomorrow.']);
    expect(problems.filter((problem) => !problem.includes('412'))).toEqual([]);
  });

  it('confirms words with low confidence by key and click, so that their marks disappear', {
    tags: ['full'],
  }, async (test) => {
    const result = recorded(['It is shot or shot creed.', 'The work ends today.']);
    const { page, problems, stored } = await open(test, { result });
    const marks = () => page.locator('#transcript mark').count();
    await edit(page);
    // Option+C types ç.
    await page.evaluate(`Object.defineProperty(navigator, 'platform', { value: 'MacIntel', configurable: true })`);
    await page.keyboard.press('Alt+C');
    expect(await page.locator('#live').textContent()).not.toContain('cursor');
    await page.evaluate(`Object.defineProperty(navigator, 'platform', { value: 'Linux x86_64' })`);
    await page.keyboard.press('Alt+C');
    expect(await page.locator('#live').textContent()).toBe(
      'Place the cursor in a word with low confidence to confirm it.',
    );
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('Alt+C');
    expect(await page.locator('#doubtful').textContent()).toBe('Words to check: 1');
    expect(await page.locator('#live').textContent()).toBe('“shot” confirmed. Words to check: 1');
    await until(async () => (await stored()).segments[0].confirmed).toEqual([2]);
    await page.keyboard.press('Enter');
    expect(await marks()).toBe(1);
    await page.locator('#transcript mark').click();
    expect(await page.evaluate<string>('getSelection().toString()')).toBe('shot');
    await page.getByRole('button', { name: 'Confirm word' }).click();
    await until(async () => (await stored()).segments[0].confirmed).toEqual([2, 4]);
    expect(await page.locator('#doubtful').textContent()).toBe('');
    await page.locator('#history summary').click();
    await until(() => page.locator('#history li').allTextContents()).toEqual([
      expect.stringContaining('It is shot or shot creed. (words confirmed: 2)'),
    ]);

    await page.reload();
    await until(() => page.locator('#edit').count()).toBe(1);
    await until(marks).toBe(0);
    await page.locator('#history summary').click();
    await page.getByRole('button', { name: 'Revert' }).click();
    await until(async () => (await stored()).segments).toEqual(result.segments);
    expect(await marks()).toBe(2);
    await until(() => page.locator('#history li').first().textContent()).toContain('(confirmation removed)');
    expect(problems).toEqual([]);
  });

  it('offers corrected words again after a reload, except those in the vocabulary and dismissed ones', {
    tags: ['full'],
  }, async (test) => {
    const forget = () => product.call('/vocabulary', { method: 'PUT', body: { terms: [] } });
    await forget();
    onTestFinished(async () => void (await forget()));
    const { page, problems, texts } = await open(test);
    const offers = () => page.locator('.term-offer button:first-child').allTextContents();
    const offer = (term: string) => `Add “${term}” to the vocabulary`;
    await edit(page);
    for (const text of ['The Nordic wall has a crevice.', 'It is treated with shotcrete.', 'The work ends tonight.']) {
      await field(page).fill(text);
      await page.keyboard.press('Enter');
    }
    const all = ['Nordic', 'has', 'crevice', 'shotcrete', 'tonight'].map(offer);
    await until(offers).toEqual(all);
    await until(async () => (await texts())[2]).toBe('The work ends tonight.');
    await page.reload();
    await until(offers).toEqual(all);
    await page.getByRole('button', { name: 'Do not suggest “tonight”' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('.term-offers [role=status]').textContent()).toBe(
      '“tonight” will not be suggested again.',
    );
    await page.getByRole('button', { name: offer('shotcrete') }).click();
    await until(offers).toEqual(all.slice(0, 3));
    await page.reload();
    await until(offers).toEqual(all.slice(0, 3));
    expect(problems).toEqual([]);
  });

  it('marks words with low confidence, moves to them, and offers corrected ones as vocabulary', {
    tags: ['full'],
  }, async (test) => {
    const { page, problems } = await open(test);
    expect(await page.locator('#transcript mark').allTextContents()).toEqual(['shot']);
    expect(await page.locator('#doubtful').textContent()).toBe('Words to check: 1');
    await edit(page);
    await page.keyboard.press('Alt+ArrowDown');
    expect(await value(page)).toBe(TEXTS[1]);
    await field(page).fill('It is treated with shotcrete.');
    await page.keyboard.press('Enter');
    expect(await page.locator('#doubtful').textContent()).toBe('');
    await page.getByRole('button', { name: 'Add “shotcrete” to the vocabulary' }).click();
    await until(async () => (await product.call('/vocabulary')).body.data.terms).toEqual([{ term: 'shotcrete' }]);
    expect(problems).toEqual([]);
  });

  it('selects every word with low confidence, and keeps the marks of the others', { tags: ['full'] }, async (test) => {
    const result = recorded(['It is shot or shot creed.', 'The work ends today.', 'A shot wall.']);
    const { page, texts } = await open(test, { result });
    await edit(page);
    const selected = () => page.evaluate<string>('getSelection().toString()');
    const next = async (text: string) => {
      await page.keyboard.press('Alt+ArrowDown');
      expect(await selected()).toBe('shot');
      await page.keyboard.type(text);
    };
    await next('wet');
    await next('dry');
    await next('brick');
    await page.keyboard.press('Shift+Enter');
    await until(texts).toEqual(['It is wet or dry creed.', 'The work ends today.', 'A brick wall.']);
    await page.keyboard.press('Alt+ArrowUp');
    expect(await page.locator('#live').textContent()).toBe('No other words to check.');
  });

  it('opens an earlier task by its address with its corrections, and plays a chosen file', {
    tags: ['full'],
  }, async (test) => {
    const { page, put, problems, texts } = await open(test);
    const { segments } = recorded(TEXTS);
    await put([{ ...segments[0]!, text: 'The north wall is dry.' }, segments[1]!, segments[2]!]);
    await page.route('**/recording', (route) => route.fulfill({ status: 404, json: { ok: false } }));
    await page.reload();
    const first = page.locator('#transcript p').first();
    await until(() => first.textContent()).toContain('The north wall is dry.');
    expect(await page.locator('#audio').isVisible()).toBe(false);
    expect(await findViolations(page)).toEqual([]);
    const chooser = page.locator('label', { has: page.locator('#choose-recording') });
    expect(await chooser.textContent()).toContain('Choose the recording');
    const buffer = createSilence(SECONDS);
    await page.locator('#choose-recording').setInputFiles({ name: 'note.wav', mimeType: 'audio/wav', buffer });
    await until(() => page.locator('#audio').isVisible()).toBe(true);
    await edit(page);
    await field(page).fill('The wall is dry.');
    await page.keyboard.press('Enter');
    await until(async () => (await texts())[0]).toBe('The wall is dry.');
    await page.unroute('**/recording');
    await page.reload();
    await until(() => page.locator('#audio').isVisible()).toBe(true);
    await until(() => page.evaluate<number>('Math.round(document.getElementById("audio").duration)')).toBe(SECONDS);
    expect(await chooser.isVisible()).toBe(false);
    expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
  });

  it('merges the changes of another editor of other segments', { tags: ['full'] }, async (test) => {
    const { page, put, texts } = await open(test);
    await edit(page);
    await status(page).toBe('Saved');
    await page.keyboard.type('Now: ');
    const { segments } = recorded(TEXTS);
    await put([segments[0]!, segments[1]!, { ...segments[2]!, text: 'The work ends tomorrow.' }]);
    await page.keyboard.press('Enter');
    await until(texts).toEqual([`Now: ${TEXTS[0]}`, TEXTS[1], 'The work ends tomorrow.']);
    expect(await value(page)).toBe(TEXTS[1]);
    expect(await page.locator('#transcript p').last().textContent()).toContain('tomorrow');
    expect(await page.locator('.conflicts .notice').count()).toBe(0);
  });

  it('undoes the text that was being typed during the change of another editor', { tags: ['full'] }, async (test) => {
    const { page, put, texts } = await open(test);
    const requests: (() => void)[] = [];
    let isHeld = true;
    await page.route('**/transcript', async (route) => {
      if (isHeld) await new Promise<void>((resolve) => requests.push(resolve));
      await route.continue();
    });
    await edit(page);
    await status(page).toBe('Saved');
    await page.keyboard.type('Now: ');
    const { segments } = recorded(TEXTS);
    await put([segments[0]!, segments[1]!, { ...segments[2]!, text: 'The work ends tomorrow.' }]);
    await page.keyboard.press('Enter');
    await until(async () => requests.length).toBe(1);
    await page.keyboard.type('Then: ');
    expect(await value(page)).toBe(`Then: ${TEXTS[1]}`);
    isHeld = false;
    for (const release of requests) release();
    await until(texts).toEqual([`Now: ${TEXTS[0]}`, `Then: ${TEXTS[1]}`, 'The work ends tomorrow.']);
    await page.keyboard.press('Control+Z');
    await until(texts).toEqual([`Now: ${TEXTS[0]}`, TEXTS[1], 'The work ends tomorrow.']);
    await page.keyboard.press('Control+Z');
    await until(texts).toEqual([TEXTS[0], TEXTS[1], 'The work ends tomorrow.']);
  });

  it('does not take typed text over without a segment to merge with', { tags: ['full'] }, async (test) => {
    const { page, texts } = await open(test);
    await edit(page);
    await page.keyboard.type('Now: ');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Backspace');
    expect(await page.locator('#live').textContent()).toBe('No segment to merge with.');
    await page.keyboard.press('Escape');
    expect(await value(page)).toBe(TEXTS[0]);
    expect(await texts()).toEqual(TEXTS);
  });

  it('shows the text of another editor of the same segment, and keeps the own text', {
    tags: ['full'],
  }, async (test) => {
    const { page, put, texts } = await open(test);
    await edit(page);
    await status(page).toBe('Saved');
    await page.keyboard.type('Mine: ');
    const { segments } = recorded(TEXTS);
    const theirs = { ...segments[0]!, text: 'The north wall is dry.' };
    await put([theirs, segments[1]!, segments[2]!]);
    await page.keyboard.press('Enter');
    await until(() => page.locator('.conflicts .unsaved-text').textContent()).toBe(`Mine: ${TEXTS[0]}`);
    expect(await page.locator('.conflicts .stored-text').textContent()).toBe('The north wall is dry.');
    await status(page).toBe('Not saved yet');
    expect(await texts()).toEqual(['The north wall is dry.', TEXTS[1], TEXTS[2]]);
    expect(await page.evaluate<string>('document.activeElement.className')).toBe('notice bad');
    await page.keyboard.press('Enter');
    expect(await page.locator('.conflicts .unsaved-text').textContent()).toBe(`Mine: ${TEXTS[0]}`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Use my text');
    await page.keyboard.press('Enter');
    await until(texts).toEqual([`Mine: ${TEXTS[0]}`, TEXTS[1], TEXTS[2]]);
    expect(await page.locator('.conflicts .notice').count()).toBe(0);
    expect(await page.evaluate<string>('document.activeElement.value')).toBe(`Mine: ${TEXTS[0]}`);
    await status(page).toBe('Saved');
  });

  it('keeps the text while the server cannot be reached, and saves it afterwards', { tags: ['full'] }, async (test) => {
    const { page, texts } = await open(test);
    await edit(page);
    await status(page).toBe('Saved');
    await page.route('**/transcript', (route) => route.abort());
    await field(page).fill('First.');
    await page.keyboard.press('Enter');
    await status(page).toBe('Not saved: The server is not responding. Retrying in 5 s.');
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' Second.');
    await page.unroute('**/transcript');
    await until(texts).toEqual(['First.', TEXTS[1], TEXTS[2]]);
    // The open segment is not stored.
    await status(page).toBe('Not saved yet');
    await page.keyboard.press('Escape');
    expect(await value(page)).toBe(TEXTS[1]);
    await status(page).toBe('Saved');
  });

  it('lists the corrections, and reverts one unless a later one changed the text', { tags: ['full'] }, async (test) => {
    const { page, problems, texts } = await open(test);
    await edit(page);
    await field(page).fill('First.');
    await page.keyboard.press('Enter');
    await until(async () => (await texts())[0]).toBe('First.');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Backspace');
    await until(texts).toEqual([`First. ${TEXTS[1]}`, TEXTS[2]]);
    await page.locator('#history summary').click();
    const revert = page.getByRole('button', { name: 'Revert' });
    await until(() => revert.count()).toBe(2);
    await revert.last().click();
    await until(() => page.locator('#live').textContent()).toContain('corrected again');
    await revert.first().click();
    await until(texts).toEqual(['First.', TEXTS[1], TEXTS[2]]);
    await until(() => revert.count()).toBe(3);
    await revert.last().click();
    await until(texts).toEqual(TEXTS);
    expect(problems).toEqual([]);
  });

  it('downloads the corrected text, and is in Russian', async (test) => {
    const { page, problems } = await open(test, { locale: 'ru-RU' });
    expect(await page.locator('#doubtful').textContent()).toBe('Слов на проверку: 1');
    await page.getByRole('button', { name: 'Редактировать' }).click();
    await page.getByRole('textbox', { name: 'Текст с 0:00 до 0:02' }).fill('Corrected.');
    const download = page.waitForEvent('download');
    await page.locator('#save-txt').click();
    expect((await download).suggestedFilename()).toBe('note.txt');
    const file = await (await download).createReadStream();
    expect(Buffer.concat(await file.toArray()).toString()).toBe(`Corrected. ${TEXTS[1]} ${TEXTS[2]}\n`);
    await page.getByRole('button', { name: 'Отменить', exact: true }).click();
    await until(() => page.locator('#live').textContent()).toBe('Изменение отменено');
    await page.getByRole('button', { name: 'Завершить правку' }).click();
    expect(problems).toEqual([]);
  });

  it('renders only the edited segments of a transcript of an hour', { tags: ['full'] }, async (test) => {
    const hour = recorded(
      Array.from({ length: 720 }, (_, i) => `Segment ${i} has a few more words, as people speak them.`),
    );
    const { page, texts } = await open(test, { result: { ...hour, duration_seconds: 3600 } });
    await edit(page);
    await page.evaluate(`
      window.changes = 0;
      new MutationObserver((records) => {
        for (const each of records) window.changes += each.addedNodes.length + each.removedNodes.length;
      }).observe(document.querySelector('#transcript'), { childList: true, subtree: true });`);
    await page.keyboard.type('x'.repeat(40));
    expect(await page.evaluate('window.changes')).toBe(0);
    for (let i = 0; i < 5; i++) await page.keyboard.press('Enter');
    expect(await value(page)).toMatch(/^Segment 5 /);
    // At most two rows per move: one is closed, one is opened.
    expect(await page.evaluate<number>('window.changes')).toBeLessThan(5 * 60);
    await until(async () => (await texts())[0]).toMatch(/^x{40}Segment 0/);
    await page.evaluate('window.changes = 0');
    await page.keyboard.press('Control+Z');
    await until(async () => (await texts())[0]).toMatch(/^Segment 0/);
    // The closed row, the restored one, and the opened one.
    expect(await page.evaluate<number>('window.changes')).toBeLessThan(3 * 60);
  });
});
