import { highlightBox, scrollToBox } from '../../../ui/browser/boxes.ts';
import { byId } from '../../../ui/browser/dom.ts';
import { showLocalTimes } from '../../../ui/browser/local-times.ts';
import { createNumberFormats } from '../../../ui/browser/number-formats.ts';
import { pageData } from '../../../ui/browser/page-data.ts';
import { errorMessage, RequestError, request } from '../../../ui/browser/requests.ts';
import { createTimeline } from '../../../ui/browser/timeline.ts';
import { selectNameOnOpen } from './rename-form.ts';
import { initReviewForm } from './review-form.ts';
import type { ReviewPage } from './review-texts.ts';
import { showError } from './show-error.ts';
import { signInPrompt } from './sign-in-prompt.ts';

const page = pageData<ReviewPage>();
const { texts, id, status } = page.data;
const POLL_MS = 1000;

showLocalTimes(document);
selectNameOnOpen();
onClick('remove', async () => {
  if (!confirm(texts.removeSure)) return;
  await request(id, { method: 'DELETE' });
  location.assign('../');
});
onClick('retry', async () => {
  await request(`../api/task/${id}/retry`, { method: 'POST' });
  location.reload();
});

byId('timeline').append(
  createTimeline(() => request(`../api/task/${id}/timeline`), {
    ui: page.ui,
    numbers: createNumberFormats(page.language),
  }),
);
if (status === 'PENDING' || status === 'PROCESSING') void pollStatus();
if (status === 'SUCCESS') {
  linkBoxes();
  initReviewForm(page.data);
}

async function pollStatus(): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const now = await request<{ status: string; progress?: number }>(`../api/task/${id}/status`).catch(
      (error: unknown) => (error instanceof RequestError ? error.status : 0),
    );
    if (now === 404) location.assign('../');
    if (now === 401 || now === 403) {
      showError(...signInPrompt(texts, texts.thenReload));
      return;
    }
    if (typeof now === 'number') continue;
    if (now.status !== 'PENDING' && now.status !== 'PROCESSING') {
      location.reload();
      return;
    }
    byId('status').textContent = texts.status[now.status];
    byId<HTMLProgressElement>('progress').value = now.progress ?? 0;
  }
}

function onClick(button: string, act: () => Promise<void>): void {
  document.getElementById(button)?.addEventListener('click', () => {
    act().catch((error: unknown) => showError(errorMessage(error, texts)));
  });
}

/** Links fields and boxes: focusing a field highlights its box, clicking a box focuses its field. */
function linkBoxes(): void {
  const form = document.getElementById('fields')!;
  form.addEventListener('focusin', ({ target }) => {
    const box = highlightBox((target as Element).getAttribute('name') ?? '');
    if (box !== null) scrollToBox(box);
  });
  document.querySelector('.pages')!.addEventListener('click', ({ target }) => {
    const { key } = (target as SVGElement).dataset;
    if (key !== undefined) document.getElementById(key)?.focus();
  });
  for (const event of ['load', 'error']) document.querySelector('.pages')!.addEventListener(event, removeLoading, true);
  loadImagesOnScroll();
}

function removeLoading({ target }: Event): void {
  (target as Element).closest('svg')?.querySelector('.loading')?.remove();
}

function loadImagesOnScroll(): void {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        const picture = target.querySelector<SVGImageElement>('image[data-href]');
        picture?.setAttribute('href', picture.dataset['href']!);
      }
    },
    { rootMargin: '800px' },
  );
  for (const sheet of document.querySelectorAll('.sheet:has(image[data-href])')) observer.observe(sheet);
}
