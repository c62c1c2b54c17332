import type { FastifyReply, FastifyRequest } from 'fastify';
import { heatmapTexts } from '../../../ui/browser/heatmap-texts.ts';
import { H2 } from '../../../ui/text-elements.tsx';
import { classNames } from '../../shared/class-names.ts';
import type { RecordPageData } from '../browser/row-data.ts';
import type { Report } from '../reports/report.ts';
import { LAST_SEARCH_COOKIE } from '../search/last-search-cookie.ts';
import type { Row } from '../search/search-types.ts';
import { recordTitle, UntrustedParagraph } from './format.tsx';
import type { Frame, Viewer } from './frame.tsx';
import { ReportForm, type SubmittedReport } from './report-form.tsx';
import { failureOf, heatOf, photoOf } from './result-parsers.ts';
import { About, Head } from './row-about.tsx';
import { RowDocument } from './row-document.tsx';
import { RowImport } from './row-import.tsx';
import { Picture, RowPhoto } from './row-photo.tsx';
import { RowSpeech } from './row-speech.tsx';
import { searchUrl } from './search-url.ts';
import { showInvisible, truncateAtWord } from './untrusted-text.ts';

export const rowPage =
  (frame: Frame) =>
  async (
    request: FastifyRequest,
    reply: FastifyReply,
    { row, reports }: { row: Row; reports: readonly Report[] },
  ): Promise<FastifyReply> => {
    const viewer = frame.viewer(request);
    const { language, words } = viewer;
    const { groups, noDefects, chooseClass } = words;
    const { defects, masters } = photoOf(row.result);
    const own: RecordPageData = {
      language,
      defects,
      masters,
      classes: classNames[language],
      heat: heatOf(row.attachment) ?? null,
      heatTexts: heatmapTexts[language],
      titles: { defects: words.defects, groups, noDefects, chooseClass },
    };
    return frame.send(reply, viewer, {
      title: truncateAtWord(showInvisible(recordTitle(row, language)), 80),
      root: '../',
      data: own,
      script: 'services/catalog/browser/row-page.js',
      styles: ['ui/picture.css', 'ui/transcript.css', 'ui/sheet.css', 'services/catalog/browser/row.css'],
      children: (
        <>
          <Head row={row} back={backOf(request)} viewer={viewer} />
          <Body row={row} viewer={viewer} />
          <div class="below">
            <ReportForm row={row} reports={reports} submitted={sentOf(request)} viewer={viewer} />
            <About row={row} viewer={viewer} />
          </div>
        </>
      ),
    });
  };

function backOf({ cookies }: FastifyRequest): string {
  const last = cookies[LAST_SEARCH_COOKIE] ?? '';
  return `../${searchUrl(/^[!-~]{0,4000}$/.test(last) ? last : '').slice(2)}`;
}

function sentOf({ query }: FastifyRequest): SubmittedReport {
  const { reported, receipt } = query as Readonly<Record<string, unknown>>;
  return {
    ...(typeof reported === 'string' && { reported }),
    ...(typeof receipt === 'string' && { receipt }),
  };
}

function Body({ row, viewer }: { row: Row; viewer: Viewer }): JSX.Element {
  const { words } = viewer;
  if (row.status === 'failed') {
    return (
      <div class={row.image === null ? '' : 'detail'}>
        {row.image !== null && <Picture row={row} viewer={viewer} />}
        <section class="panel outcome" aria-labelledby="verdict">
          <div class="verdict" data-failed="true">
            <H2 id="verdict" text={words.failure} />
            <UntrustedParagraph text={failureMessage(row, viewer)} />
          </div>
        </section>
      </div>
    );
  }
  switch (row.service) {
    case 'defectoscopy':
      return <RowPhoto row={row} viewer={viewer} />;
    case 'stt':
      return <RowSpeech row={row} viewer={viewer} />;
    case 'passports':
      return <RowDocument row={row} viewer={viewer} />;
    default:
      return <RowImport row={row} viewer={viewer} />;
  }
}

/** The original message if its code has no translation. */
function failureMessage({ service, result, text }: Row, viewer: Viewer): string {
  const { code, sentence } = failureOf(result);
  return viewer.translateFailure(service, code) ?? (sentence || text);
}
