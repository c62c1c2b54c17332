import { el } from '../../../ui/browser/dom.ts';
import { createNumberFormats } from '../../../ui/browser/number-formats.ts';
import { pageData } from '../../../ui/browser/page-data.ts';
import { initUploadPage } from '../../../ui/browser/upload-page.ts';
import type { UploadPageData } from '../../../ui/browser/upload-texts.ts';
import { createCorrectionForm } from './correction-form.ts';
import { createFormatters } from './formatters.ts';
import { createInspection, type Inspection, runInspection } from './inspection.ts';
import { createPhotoView } from './photo-view.ts';
import { showResult } from './result-view.ts';
import type { PhotoTexts } from './texts.ts';

const page = pageData<UploadPageData<PhotoTexts>>();
const words = createFormatters(page.data.texts, page.ui, createNumberFormats(page.language));

initUploadPage<Inspection>(page, words, (api) => {
  const picture = createPhotoView(api, words);
  return {
    concurrency: 3,
    inputs: ['file', 'camera'],
    isUnsupported: (type) => /^(?!image\/)|svg|bmp/.test(type) && type !== '',
    createJob: createInspection,
    run: (job, onChange) => runInspection(job, api, onChange),
    thumbnail,
    show: picture.show,
    showResult(job) {
      if (job.stage === 'done') job.correctionForm ??= createCorrectionForm(job, api, words);
      showResult(job, words, {
        onChoose(name) {
          job.selectedClass = name;
          picture.show(job);
        },
        onChooseRegion: ({ box }) => picture.zoom.show(box),
      });
    },
  };
});

function thumbnail({ preview }: Inspection): HTMLElement {
  const missing = el('span', { class: 'missing' });
  if (preview === undefined) return missing;
  const image = el('img', { src: preview, alt: '', loading: 'lazy' });
  image.addEventListener('error', () => image.replaceWith(missing));
  return image;
}
