import type { Gateway } from '../../../http/gateway.ts';
import type { BatchPage } from '../../../ui/browser/batch-texts.ts';
import { BATCH_ASSETS, BatchSections, batchData } from '../../shared/batch-page.tsx';
import { listTexts } from '../browser/list-texts.ts';
import { errorTexts, PERMANENT_ERRORS } from '../failures.ts';
import type { Frame } from './frame.tsx';

/** `GET /batch`: the documents of a folder or an archive. */
export function batchPage(app: Gateway, { frame }: { frame: Frame }): void {
  app.get('/batch', { config: { access: 'public', page: true }, schema: { hide: true } }, async (request, reply) => {
    const viewer = await frame.viewer(request);
    const { signedIn, language } = viewer;
    if (!signedIn) return reply.redirect('login', 303);
    const own: BatchPage = {
      ...batchData(language, { ...listTexts[language].refusals, ...errorTexts[language] }),
      ...{
        typePrefixes: ['application/pdf'],
        permanentErrors: PERMANENT_ERRORS,
        itemPath: 'task/',
        needsToken: undefined,
      },
    };
    return frame.send(reply, viewer, {
      ...{ own, title: own.texts.title, ...BATCH_ASSETS },
      children: (
        <BatchSections texts={own.texts} language={language}>
          {''}
        </BatchSections>
      ),
    });
  });
}
