import type { Gateway } from '../../../http/gateway.ts';
import type { BatchPage } from '../../../ui/browser/batch-texts.ts';
import { fill } from '../../../ui/browser/fill.ts';
import { createNumberFormats } from '../../../ui/browser/number-formats.ts';
import { BATCH_ASSETS, BatchSections, batchData } from '../../shared/batch-page.tsx';
import { listTexts } from '../browser/list-texts.ts';
import { errorTexts, PERMANENT_ERRORS } from '../failures.ts';
import { PDF_LIMITS } from '../routes/upload-route.ts';
import type { Frame } from './frame.tsx';

const ACCEPTED = 'application/pdf,.pdf,application/zip,.zip';
const HINTS = {
  en: 'PDF files only: each becomes a document. Upload photos of pages on the page “Technical passports”. For several passports with a folder of photos each, use the command',
  ru: 'Только файлы PDF: каждый становится документом. Фото страниц загружайте на странице «Технические паспорта». Если у каждого паспорта своя папка с фото, используйте команду',
};

const LIMITS = { en: 'PDF, up to {size}', ru: 'PDF, до {size}' };

/** `GET /batch`: the documents of a folder or an archive. */
export function batchPage(app: Gateway, { frame }: { frame: Frame }): void {
  app.get('/batch', { config: { access: 'public', page: true }, schema: { hide: true } }, async (request, reply) => {
    const viewer = await frame.viewer(request);
    const { signedIn, language } = viewer;
    if (!signedIn) return reply.redirect('login', 303);
    const data: BatchPage = {
      ...batchData(language, { ...listTexts[language].refusals, ...errorTexts[language] }),
      ...{
        typePrefixes: ['application/pdf'],
        permanentErrors: PERMANENT_ERRORS,
        itemPath: 'task/',
        needsToken: undefined,
      },
    };
    return frame.send(reply, viewer, {
      ...{ data, title: data.texts.title, ...BATCH_ASSETS },
      children: (
        <BatchSections
          texts={data.texts}
          language={language}
          files={{ accept: ACCEPTED, hint: HINTS[language], command: 'assay extract' }}
          limits={fill(LIMITS[language], { size: createNumberFormats(language).size(PDF_LIMITS.maxFileBytes) })}
        >
          {''}
        </BatchSections>
      ),
    });
  });
}
