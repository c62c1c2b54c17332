import { el } from '../../../ui/browser/dom.ts';
import { openErrandPage } from '../../../ui/browser/errand-page.ts';
import type { ErrandPage } from '../../../ui/browser/errand-texts.ts';
import { numbers, pageData } from '../../../ui/browser/page-data.ts';
import { type Inspection, inspect, newInspection } from './inspection.ts';
import { showOutcome } from './outcome-view.ts';
import { openPicture } from './picture-view.ts';
import type { PhotoTexts } from './texts.ts';
import { openWords } from './words.ts';

const page = pageData<ErrandPage<PhotoTexts>>();
const words = openWords(page.own.texts, page.ui, numbers(page.language));

openErrandPage<Inspection>(page, words, (api) => {
  const picture = openPicture(api, words);
  return {
    atOnce: 3,
    inputs: ['file', 'camera'],
    unfit: (type) => /^(?!image\/)|svg|bmp/.test(type) && type !== '',
    make: newInspection,
    run: (job, onChange) => inspect(job, api, onChange),
    picture: thumbnail,
    show: picture.show,
    showOutcome: (job) =>
      showOutcome(job, words, (name) => {
        job.shown = name;
        picture.show(job);
      }),
  };
});

function thumbnail({ preview }: Inspection): HTMLElement {
  const image = el('img', { src: preview, alt: '', loading: 'lazy' });
  image.addEventListener('error', () => image.replaceWith(el('span', { class: 'missing' })));
  return image;
}
