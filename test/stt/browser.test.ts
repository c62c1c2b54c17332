import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Job, Model } from '../../src/services/shared/service.ts';
import { FAILURES } from '../../src/services/stt/failures.ts';
import { TaskFailure } from '../../src/tasks/task.ts';
import { openPage } from '../support/browser/open-page.ts';
import { type Product, startProduct, TOKEN } from '../support/product.ts';
import { createFakeSpeechModel, createSilence, TRANSCRIPT } from '../support/speech/fake-model.ts';

const wav = (name = 'note.wav', seconds = 3) => ({ name, mimeType: 'audio/wav', buffer: createSilence(seconds) });
const step = (page: Page, name: string) => page.locator('#steps li', { hasText: name });
const choose = (page: Page, name?: string) => page.locator('#file').setInputFiles(wav(name));
const until = (check: () => Promise<unknown>) => expect.poll(check, { timeout: 8000, interval: 50 });
const verdict = (page: Page) => until(() => page.locator('#result-title').textContent());

describe('Speech-to-text upload page', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct({ service: 'stt' });
  });
  afterAll(() => product.stop());
  const work = async (over: Partial<Model> = {}) =>
    onTestFinished(await product.startWorker(createFakeSpeechModel(over)));
  const open = (test: Parameters<typeof openPage>[0], options: Parameters<typeof openPage>[2] = {}) =>
    openPage(test, `${product.url}/#token=${TOKEN}`, options);

  it('shows a recording as queued, in progress with its percentage, and transcribed', async (test) => {
    const { page, problems } = await open(test);
    expect(page.url()).toBe(`${product.url}/`);
    await choose(page);
    await until(() => step(page, 'Queued').getAttribute('aria-current')).toBe('step');
    let release: () => void = () => {};
    const run = async ({ report }: Job) => {
      report(0.42);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return { result: TRANSCRIPT as never };
    };
    await work({ run });
    await until(() => step(page, 'In progress').textContent()).toContain('42%');
    expect(await page.evaluate('document.querySelector("#transcription-bar").value')).toBeCloseTo(0.42, 5);
    release();
    await verdict(page).toBe('Transcript');
    expect(await page.locator('.result-head .surface').textContent()).toBe('English · 0:02');
    expect(await page.locator('#transcript p').allTextContents()).toEqual([
      expect.stringMatching(/^0:00The north wall shows a crack\.\s*$/),
    ]);
    await until(() => page.locator('#live').textContent()).toContain('The north wall');
    expect(problems).toEqual([]);
  });

  it('plays from the clicked word and highlights the current word', async (test) => {
    await work();
    const { page, problems } = await open(test);
    await choose(page);
    await verdict(page).toBe('Transcript');
    const at = () => page.evaluate<number>('document.querySelector("#audio").currentTime');
    await page.locator('.word', { hasText: 'shows' }).click();
    await until(at).toBeGreaterThanOrEqual(1.2);
    await until(() => page.locator('.word.current').textContent()).toBe('crack.');
    await page.evaluate('document.querySelector("#audio").pause()');
    // A word is highlighted for 0.3 s, which a busy machine may miss.
    await page.evaluate('document.querySelector("#audio").playbackRate = 0.1');
    await page.getByRole('button', { name: 'Play from 0:00' }).focus();
    await page.keyboard.press('Enter');
    await until(at).toBeLessThan(1.2);
    await until(() => page.locator('.word.current').textContent()).toBe('north');
    expect(problems).toEqual([]);
  });

  it('downloads the transcript as text, SRT, VTT and JSON', { tags: ['full'] }, async (test) => {
    await work();
    const { page, problems } = await open(test);
    await choose(page, 'interview.wav');
    await verdict(page).toBe('Transcript');
    const saved = async (format: string) => {
      const download = page.waitForEvent('download');
      await page.locator(`#save-${format}`).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe(`interview.${format}`);
      return readFile(await file.path(), 'utf8');
    };
    expect(await saved('txt')).toBe('The north wall shows a crack.\n');
    expect(await saved('srt')).toContain('00:00:00,300 --> 00:00:02,100');
    expect(await saved('vtt')).toMatch(/^WEBVTT/);
    expect(JSON.parse(await saved('json')).data).toEqual(TRANSCRIPT);
    expect(problems).toEqual([]);
  });

  it('records with the microphone with the keyboard alone', { tags: ['full'] }, async (test) => {
    const inputs: unknown[] = [];
    const run = async ({ input }: Job) => {
      inputs.push(input);
      return { result: TRANSCRIPT as never };
    };
    await work({ run });
    const { page, problems } = await open(test);
    await page.locator('#language').selectOption('ru');
    const focused = () => page.evaluate<string>('document.activeElement.id');
    await page.locator('#record').focus();
    await page.keyboard.press('Enter');
    await until(focused).toBe('record-stop');
    await until(() => page.locator('#recording-time').textContent()).toContain('0:01');
    await page.keyboard.press('Enter');
    await verdict(page).toBe('Transcript');
    expect(await focused()).toBe('record');
    expect(await page.locator('#file-name').textContent()).toMatch(/^Recording .*\.webm$/);
    expect(inputs).toEqual([
      {
        url: expect.stringMatching(/^https:\/\/files\.assay\.internal\//),
        language: 'ru',
        file_name: expect.stringMatching(/^Recording .*\.webm$/),
      },
    ]);
    await until(() => page.evaluate<number>('document.querySelector("#audio").duration')).toBeLessThan(60);

    await page.locator('#record').click();
    await page.locator('#record-discard').click();
    await until(() => page.locator('#recording').isVisible()).toBe(false);
    expect(inputs).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  it('offers an example recording', { tags: ['full'] }, async (test) => {
    const { page, problems } = await open(test);
    await page.getByRole('button', { name: 'Use the example voice note' }).click();
    await until(() => page.locator('#file-name').textContent()).toBe('voice-note.mp3');
    await until(() => page.evaluate<number>('document.querySelector("#audio").duration')).toBeGreaterThan(10);
    await until(() => step(page, 'Queued').getAttribute('aria-current')).toBe('step');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await verdict(page).toBe('Processing was cancelled.');
    expect(problems).toEqual([]);
  });

  it('is in Russian for a browser that prefers Russian', async (test) => {
    await work();
    const { page, problems } = await open(test, { locale: 'ru-RU' });
    await choose(page, 'запись.wav');
    await verdict(page).toBe('Расшифровка');
    await page.setViewportSize({ width: 1440, height: 900 });
    const lines = await page.evaluate<number[]>(`[...document.querySelectorAll('#steps .label')].map((label) => {
      const text = document.createRange();
      text.selectNodeContents(label);
      return text.getClientRects().length;
    })`);
    expect(Math.max(...lines), 'one line per label').toBe(1);
    expect(await page.locator('.result-head .surface').textContent()).toBe('Английский · 0:02');
    const languages = await page.locator('#language option').allTextContents();
    expect(languages.filter((name) => !/^[А-Я]/.test(name))).toEqual([]);
    expect(await page.locator('main').textContent()).not.toMatch(
      /(?<!north |wall |shows )[a-z]{4,} (?!wall)[a-z]{5,} [a-z]{5,}/,
    );
    expect(problems).toEqual([]);
  });

  it('shows results without speech, failures and cancellations', async (test) => {
    const stop = await product.startWorker(
      createFakeSpeechModel({
        run: async () => ({ result: { transcription: '', service: 'local', duration_seconds: 3, segments: [] } }),
      }),
    );
    const { page } = await open(test);
    await choose(page, 'silence.wav');
    await verdict(page).toBe('No speech detected. If the recording contains speech, select its language.');
    await stop();

    const stopFailing = await product.startWorker(
      createFakeSpeechModel({ run: () => Promise.reject(new TaskFailure(FAILURES.corrupt)) }),
    );
    await choose(page, 'torn.wav');
    await until(() => page.locator('.result-head').textContent()).toContain('AUDIO_CORRUPT');
    await stopFailing();

    await choose(page, 'long.wav');
    await until(() => step(page, 'Queued').getAttribute('aria-current')).toBe('step');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await verdict(page).toBe('Processing was cancelled.');
    await page.getByRole('button', { name: /silence.wav/ }).click();
    await verdict(page).toBe('No speech detected. If the recording contains speech, select its language.');

    await page.locator('#file').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
    await until(() => page.getByRole('alert').textContent()).toContain('notes.txt');
  });

  it('shows where speech could not be recognized', { tags: ['full'] }, async (test) => {
    const warning = { warnings: ['SPEECH_NOT_RECOGNIZED'], unrecognized: [{ start: 60, end: 75 }] };
    const stop = await product.startWorker(
      createFakeSpeechModel({ run: async () => ({ result: { ...TRANSCRIPT, ...warning } as never }) }),
    );
    const { page, problems } = await open(test);
    await choose(page);
    await verdict(page).toBe('Transcript');
    expect(await page.locator('#outcome .notice').textContent()).toBe(
      'Speech that could not be recognized is missing in the text: 1:00–1:15',
    );
    await stop();
    const nothing = { transcription: '', service: 'local', duration_seconds: 90, segments: [], ...warning };
    await work({ run: async () => ({ result: nothing }) });
    await choose(page, 'unclear.wav');
    await verdict(page).toMatch(/^Speech was detected but could not be recognized\./);
    expect(problems).toEqual([]);
  });

  it('states that uploads are disabled, and that JavaScript is required', { tags: ['full'] }, async (test) => {
    const closed = await startProduct({ service: 'stt', env: { FILES_HOST: undefined } });
    onTestFinished(() => closed.stop());
    expect((await closed.call('/', { token: null })).text).toContain('Uploads are disabled');
    const { page } = await openPage(test, product.url, { javaScriptEnabled: false });
    expect(await page.locator('noscript').textContent()).toContain('requires JavaScript');
  });

  it('fits a phone and a desktop screen in light and dark mode', { tags: ['full'], timeout: 60_000 }, async (test) => {
    const sentence = 'The north wall of the second stairwell shows a long crack from the window to the ceiling.';
    const segments = Array.from({ length: 12 }, (_, index) => ({
      start: index * 9,
      end: index * 9 + 8,
      text: sentence,
    }));
    const result = {
      ...TRANSCRIPT,
      transcription: segments.map(({ text }) => text).join(' '),
      duration_seconds: 108,
      segments,
    };
    await work({ run: async () => ({ result: { ...result, words: [] } as never }) });
    const folder = process.env['ASSAY_SCREENSHOTS'] ?? (await mkdtemp(join(tmpdir(), 'assay-screens-')));
    for (const width of [390, 1440]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page } = await open(test, {
          ...{ colorScheme, viewport: { width, height: width === 390 ? 1600 : 900 }, reducedMotion: 'reduce' },
          ...(width === 390 && { hasTouch: true, isMobile: true }),
        });
        const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        await page.screenshot({ path: join(folder, `speech-empty-${width}-${colorScheme}.png`) });
        expect(await page.evaluate(wider)).toBe(0);
        await page.locator('#record').click();
        await until(() => page.locator('#recording').isVisible()).toBe(true);
        expect(await page.evaluate(wider)).toBe(0);
        await page.screenshot({ path: join(folder, `speech-recording-${width}-${colorScheme}.png`) });
        await page.locator('#record-discard').click();
        await choose(page);
        await verdict(page).toBe('Transcript');
        expect(await page.evaluate(wider)).toBe(0);
        await page.screenshot({ path: join(folder, `speech-${width}-${colorScheme}.png`) });
      }
    }
  });
});
