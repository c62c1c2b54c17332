import type { FastifyReply, FastifyRequest } from 'fastify';
import { heatTexts } from '../../../ui/browser/heat-texts.ts';
import { classNames } from '../../class-names.ts';
import { LAST_SEARCH, type RowPage as Own } from '../browser/row-data.ts';
import type { Report } from '../reports/report.ts';
import type { Row } from '../search/found.ts';
import { addressOf, recordAddress } from './address.ts';
import type { Frame, Onlooker } from './frame.tsx';
import { ReportForm, type Sent } from './report-form.tsx';
import { heatOf, photoOf, sentenceOf } from './results-shape.ts';
import { RowDocument } from './row-document.tsx';
import { Picture, RowPhoto } from './row-photo.tsx';
import { RowSpeech } from './row-speech.tsx';
import { Moment, serviceOf, Stranger } from './said.tsx';
import { firstWords, visible } from './visible.ts';

/** Makes the page of one record: what came out, with everything that helps to judge it, and "report this". */
export const rowPage =
  (frame: Frame) =>
  async (
    request: FastifyRequest,
    reply: FastifyReply,
    { row, reports }: { row: Row; reports: readonly Report[] },
  ): Promise<FastifyReply> => {
    const onlooker = await frame.onlooker(request);
    const { language, words } = onlooker;
    const { defects, masters } = photoOf(row.result);
    const own: Own = {
      language,
      defects,
      masters,
      classes: classNames[language],
      heat: heatOf(row.attachment) ?? null,
      heatTexts: heatTexts[language],
      titles: { defects: words.defects, groups: words.groups, none: words.noDefects, choose: words.chooseClass },
    };
    return frame.send(reply, onlooker, {
      title: firstWords(visible(row.title || row.recordId), 80),
      root: '../',
      own,
      script: 'services/catalog/browser/row-page.js',
      styles: ['ui/picture.css', 'ui/transcript.css', 'ui/sheet.css', 'services/catalog/browser/row.css'],
      children: (
        <>
          <Head row={row} back={backOf(request)} onlooker={onlooker} />
          <Body row={row} onlooker={onlooker} />
          <div class="below">
            <ReportForm row={row} reports={reports} sent={sentOf(request)} onlooker={onlooker} />
            <About row={row} onlooker={onlooker} />
          </div>
        </>
      ),
    });
  };

/** Where this browser searched last. */
function backOf({ cookies }: FastifyRequest): string {
  const last = cookies[LAST_SEARCH] ?? '';
  return `../${addressOf(/^[!-~]{0,4000}$/.test(last) ? last : '').slice(2)}`;
}

function sentOf({ query }: FastifyRequest): Sent {
  const { reported, receipt } = query as Readonly<Record<string, unknown>>;
  return {
    ...(typeof reported === 'string' && { reported }),
    ...(typeof receipt === 'string' && { receipt }),
  };
}

function Head({ row, back, onlooker }: { row: Row; back: string; onlooker: Onlooker }): JSX.Element {
  const { words, language } = onlooker;
  const { prev, next } = row;
  return (
    <div class="record-head">
      <div class="row">
        <p class="crumb">
          <a href={back} id="back" safe>{`← ${words.toResults}`}</a>
        </p>
        <nav class="neighbours" aria-label={words.neighbours} title={words.neighbourKeys}>
          {prev === null ? (
            ''
          ) : (
            <a class="button small" id="prev" rel="prev" href={recordAddress('../', prev)} safe>
              {`← ${words.previous}`}
            </a>
          )}
          {next === null ? (
            ''
          ) : (
            <a class="button small" id="next" rel="next" href={recordAddress('../', next)} safe>
              {`${words.following} →`}
            </a>
          )}
        </nav>
      </div>
      <h1 dir="auto">
        <Stranger text={row.title || row.recordId} />
      </h1>
      <p class="hint">
        <span safe>{serviceOf(row.service, words)}</span> · <Moment at={row.createdAt} language={language} /> UTC ·{' '}
        <a href="#report" safe>
          {words.report}
        </a>
      </p>
      {row.hidden ? (
        <p class="notice" safe>
          {words.hiddenNote}
        </p>
      ) : (
        ''
      )}
    </div>
  );
}

function Body({ row, onlooker }: { row: Row; onlooker: Onlooker }): JSX.Element {
  const { words } = onlooker;
  if (row.status === 'failed') {
    return (
      <div class={row.image === null ? '' : 'detail'}>
        {row.image === null ? '' : <Picture row={row} onlooker={onlooker} />}
        <section class="panel outcome" aria-labelledby="verdict">
          <div class="verdict" data-failed="true">
            <h2 id="verdict" safe>
              {words.failure}
            </h2>
            <p dir="auto">
              <Stranger text={sentenceOf(row.result) || row.text} />
            </p>
          </div>
        </section>
      </div>
    );
  }
  switch (row.service) {
    case 'defectoscopy':
      return <RowPhoto row={row} onlooker={onlooker} />;
    case 'stt':
      return <RowSpeech row={row} onlooker={onlooker} />;
    case 'passports':
      return <RowDocument row={row} onlooker={onlooker} />;
    default:
      return <Imported row={row} onlooker={onlooker} />;
  }
}

/** What somebody has indexed: its text, and its attributes as they came. */
function Imported({ row, onlooker }: { row: Row; onlooker: Onlooker }): JSX.Element {
  const { words } = onlooker;
  const attributes = row.result['attributes'];
  const text = typeof row.result['text'] === 'string' ? row.result['text'] : row.text;
  const named = typeof attributes === 'object' && attributes !== null ? Object.entries(attributes) : [];
  return (
    <div class={row.image === null ? '' : 'detail'}>
      {row.image === null ? '' : <Picture row={row} onlooker={onlooker} />}
      <section class="panel values" aria-labelledby="text-title">
        <h2 id="text-title" safe>
          {words.text}
        </h2>
        <p class="prose" dir="auto" safe>
          {visible(text)}
        </p>
        {named.length === 0 ? (
          ''
        ) : (
          <>
            <h3 safe>{words.attributes}</h3>
            <dl class="facts">
              {named.map(([name, value]) => (
                <div>
                  <dt dir="auto" safe>
                    {visible(name)}
                  </dt>
                  <dd dir="auto" safe>
                    {visible(typeof value === 'string' ? value : JSON.stringify(value))}
                  </dd>
                </div>
              ))}
            </dl>
          </>
        )}
      </section>
    </div>
  );
}

function About({ row, onlooker }: { row: Row; onlooker: Onlooker }): JSX.Element {
  const { words } = onlooker;
  const { model } = photoOf(row.result);
  return (
    <section class="panel about-record" aria-labelledby="about-title">
      <h2 id="about-title" safe>
        {words.about}
      </h2>
      <dl class="facts">
        <div>
          <dt safe>{words.recordId}</dt>
          <dd>
            <code safe>{visible(row.recordId)}</code>
          </dd>
        </div>
        {row.taskId === null ? (
          ''
        ) : (
          <div>
            <dt safe>{words.taskId}</dt>
            <dd>
              <code safe>{visible(row.taskId)}</code>
            </dd>
          </div>
        )}
        {model === undefined ? (
          ''
        ) : (
          <div>
            <dt safe>{words.model}</dt>
            <dd safe>{visible(model)}</dd>
          </div>
        )}
      </dl>
      <details class="task">
        <summary safe>{words.asJson}</summary>
        <pre tabindex="0" safe>
          {visible(JSON.stringify(row.result, null, 2))}
        </pre>
      </details>
    </section>
  );
}
