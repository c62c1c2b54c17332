import type { FastifyReply, FastifyRequest } from 'fastify';
import { heatmapTexts } from '../../../ui/browser/heatmap-texts.ts';
import { BackLink } from '../../../ui/page-intro.tsx';
import { A, H2, P } from '../../../ui/text-elements.tsx';
import { Timestamp } from '../../../ui/timestamp.tsx';
import { classNames } from '../../shared/class-names.ts';
import type { RecordPageData } from '../browser/row-data.ts';
import type { Report } from '../reports/report.ts';
import { LAST_SEARCH_COOKIE } from '../search/last-search-cookie.ts';
import type { Row } from '../search/search-types.ts';
import type { SimilarHit } from '../search/similar.ts';
import { Groups } from './card.tsx';
import { fact, recordTitle, serviceTitle, UntrustedParagraph, UntrustedText } from './format.tsx';
import type { Frame, Viewer } from './frame.tsx';
import { ReportForm, type SubmittedReport } from './report-form.tsx';
import { failureOf, heatOf, photoOf } from './result-parsers.ts';
import { RowDocument } from './row-document.tsx';
import { RowImport } from './row-import.tsx';
import { Picture, RowPhoto } from './row-photo.tsx';
import { RowSpeech } from './row-speech.tsx';
import { recordUrl, searchUrl } from './search-url.ts';
import { SimilarPictures } from './similar-pictures.tsx';
import { showInvisible, truncateAtWord } from './untrusted-text.ts';

export const rowPage =
  (frame: Frame) =>
  async (
    request: FastifyRequest,
    reply: FastifyReply,
    { row, reports, similar }: { row: Row; reports: readonly Report[]; similar: readonly SimilarHit[] | undefined },
  ): Promise<FastifyReply> => {
    const viewer = frame.viewer(request);
    const { language, words } = viewer;
    const { groups, noDefects, chooseClass } = words;
    const { defects, masters } = photoOf(row.result);
    const data: RecordPageData = {
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
      data,
      script: 'services/catalog/browser/row-page.js',
      styles: ['ui/picture.css', 'ui/transcript.css', 'ui/sheet.css', 'services/catalog/browser/row.css'],
      children: (
        <>
          <Head row={row} back={backOf(request)} viewer={viewer} />
          <Body row={row} viewer={viewer} />
          <SimilarPictures hits={similar} viewer={viewer} />
          <div class="record-sections">
            <ReportForm row={row} reports={reports} submitted={sentOf(request)} viewer={viewer} />
            <About row={row} viewer={viewer} />
          </div>
        </>
      ),
    });
  };

function backOf({ cookies }: FastifyRequest): string {
  const last = cookies[LAST_SEARCH_COOKIE] ?? '';
  if (!/^[!-~]{0,4000}$/.test(last)) return '../';
  return `../${last.startsWith('search/similar?') ? last : searchUrl(last).slice(2)}`;
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
        <section class="panel outcome" aria-labelledby="result-title">
          <div class="result-head" data-failed="true">
            <H2 id="result-title" text={words.failure} />
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

function Head({ row, back, viewer: { words, language } }: { row: Row; back: string; viewer: Viewer }): JSX.Element {
  // Lists show newer records first, so "next" is older.
  const { prev: older, next: newer } = row;
  return (
    <div class="record-head">
      <div class="row">
        <BackLink href={back} id="back" text={words.toResults} />
        <nav class="record-navigation" aria-label={words.neighbours} title={words.neighbourKeys}>
          {newer !== null && (
            <A class="button small" id="newer" rel="prev" href={recordUrl('../', newer)} text={`← ${words.newer}`} />
          )}
          {older !== null && (
            <A class="button small" id="older" rel="next" href={recordUrl('../', older)} text={`${words.older} →`} />
          )}
        </nav>
      </div>
      <h1 dir="auto">
        <UntrustedText text={recordTitle(row, language)} />
      </h1>
      <p class="hint">
        <span safe>{serviceTitle(row.service, words)}</span> · <Timestamp at={row.createdAt} language={language} /> ·{' '}
        <A href="#report" text={words.report} />
      </p>
      <Groups hit={row} root="../" />
      {row.hidden && <P class="notice" text={words.hiddenNote} />}
    </div>
  );
}

function About({ row, viewer: { words } }: { row: Row; viewer: Viewer }): JSX.Element {
  const { model } = photoOf(row.result);
  return (
    <section class="panel record-details" aria-labelledby="record-details-title">
      <H2 id="record-details-title" text={words.about} />
      <dl class="facts">
        {fact(words.recordId, <code safe>{showInvisible(row.recordId)}</code>)}
        {row.taskId !== null && fact(words.taskId, <code safe>{showInvisible(row.taskId)}</code>)}
        {model !== undefined && fact(words.model, <span safe>{showInvisible(model)}</span>)}
      </dl>
      <details class="task">
        <summary safe>{words.asJson}</summary>
        <pre tabindex="0" safe>
          {showInvisible(JSON.stringify(row.result, null, 2))}
        </pre>
      </details>
    </section>
  );
}
