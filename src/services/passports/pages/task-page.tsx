import type { Gateway } from '../../../http/gateway.ts';
import { fill } from '../../../ui/browser/fill.ts';
import { BackLink } from '../../../ui/page-intro.tsx';
import { A, Button, H2, Label, P, Summary } from '../../../ui/text-elements.tsx';
import { Timestamp } from '../../../ui/timestamp.tsx';
import { CsrfInput } from '../../shared/csrf-input.tsx';
import { documentNotFound } from '../api-errors.ts';
import { TaskParams } from '../api-schema.ts';
import { type ReviewPage, type ReviewTexts, reviewTexts } from '../browser/review-texts.ts';
import { type CompletedDocument, type Document, type HistoryEntry, isCompleted } from '../documents.ts';
import { CONFIRM_FIELD, VERSION_FIELD } from '../edits.ts';
import { errorTexts } from '../failures.ts';
import { presentFields } from '../present.ts';
import { isConfirmed, listReview } from '../review.ts';
import { taskIdOf } from '../routes/task-routes.ts';
import type { Schema } from '../schema/schema.ts';
import type { DocumentStore } from '../store/postgres.ts';
import { recheckWarnings } from '../warnings.ts';
import { Groups } from './document-list.tsx';
import { Fields, type FieldsView, rowForms, warningText } from './fields.tsx';
import type { Frame } from './frame.tsx';
import { History } from './history.tsx';
import { PageImages } from './page-images.tsx';

/** `GET /task/{task_id}`: page images beside the fields. */
export function taskPage(
  app: Gateway,
  { frame, documents, schema }: { frame: Frame; documents: DocumentStore; schema: Schema },
): void {
  app.get<{ Params: { task_id: string } }>(
    '/task/:task_id',
    { config: { access: 'public', page: true }, schema: { hide: true, params: TaskParams } },
    async (request, reply) => {
      const viewer = await frame.viewer(request);
      const { caller, csrf, language } = viewer;
      if (caller === undefined || csrf === undefined) return reply.redirect('../login', 303);
      const document = await documents.findWithResult(caller, taskIdOf(request));
      if (document === undefined) throw documentNotFound();
      const { id, filename, status, version } = document;
      const history = (await documents.history(caller, id)) ?? [];
      const texts = reviewTexts[language];
      return frame.send(reply, viewer, {
        title: filename,
        data: { texts, id, status, version } satisfies ReviewPage,
        root: '../',
        styles: ['ui/sheet.css', 'services/passports/browser/review.css'],
        script: 'services/passports/browser/review-page.js',
        children: (
          <>
            <Head document={document} texts={texts} csrf={csrf} />
            {isCompleted(document) ? (
              <Review
                opened={recheckWarnings(document, schema)}
                schema={schema}
                language={language}
                csrf={csrf}
                history={history}
              />
            ) : (
              <Unfinished document={document} language={language} />
            )}
            <div id="timeline"></div>
            <p id="live" class="visually-hidden" role="status"></p>
          </>
        ),
      });
    },
  );
}

function Head({ document, texts, csrf }: { document: Document; texts: ReviewTexts; csrf: string }): JSX.Element {
  const { id, filename, status, cached } = document;
  return (
    <div class="document-head">
      <BackLink href="../" text={texts.back} />
      <div class="row">
        <h1 safe>{filename}</h1>
        <P id="status" class={`state ${status.toLowerCase()}`} text={texts.status[status]} />
      </div>
      <Groups document={document} root="../" />
      {cached && <P class="hint" text={texts.cached} />}
      <div class="actions">
        {status === 'SUCCESS' && (
          <>
            <A class="button" href={`../export/${id}/excel`} text={texts.excel} />
            <A class="button" href={`../export/${id}/pdf`} text={texts.pdf} />
          </>
        )}
        <details class="rename">
          <Summary class="button" text={texts.rename} />
          <form method="post" action={`${id}/rename`}>
            <CsrfInput csrf={csrf} />
            <Label class="visually-hidden" for="name" text={texts.name} />
            <input id="name" name="name" type="text" value={filename} maxlength="255" required />
            <Button type="submit" text={texts.save} />
          </form>
        </details>
        {(status === 'FAILED' || status === 'ERROR') && (
          <Button type="button" id="retry" class="needs-script primary" text={texts.retry} />
        )}
        <Button type="button" id="remove" class="needs-script" text={texts.remove} />
      </div>
      <p id="error" class="notice bad" role="alert" hidden></p>
    </div>
  );
}

/** A document in progress or failed. Without a script the page reloads itself. */
function Unfinished({ document, language }: { document: Document; language: 'en' | 'ru' }): JSX.Element {
  const { errorType, progress } = document;
  const texts = reviewTexts[language];
  if (errorType !== null) {
    return <P class="notice bad" text={errorTexts[language][errorType]!} />;
  }
  return (
    <section class="panel waiting">
      <Label for="progress" text={texts.progress} />
      <progress id="progress" max="1" value={String(progress ?? 0)}></progress>
      <P class="hint" text={texts.waiting} />
      <noscript>
        <meta http-equiv="refresh" content="5" />
      </noscript>
    </section>
  );
}

function Review(props: {
  opened: CompletedDocument;
  schema: Schema;
  language: 'en' | 'ru';
  csrf: string;
  history: readonly HistoryEntry[];
}): JSX.Element {
  const { opened, schema, language, csrf, history } = props;
  const texts = reviewTexts[language];
  const fields = presentFields(opened, schema);
  const { warnings, schema: used } = opened.extraction;
  const review = listReview(opened, fields);
  const view: FieldsView = { fields, warnings, review, language, texts };
  const general = warnings.filter((warning) => warning.fields === undefined || warning.fields.length === 0);
  return (
    <div class="review">
      <section class="pages" aria-label={texts.pages} tabindex="0">
        <PageImages opened={opened} fields={fields} texts={texts} />
      </section>
      <section class="values" aria-labelledby="fields-title">
        <div class="row">
          <H2 id="fields-title" text={texts.fields} />
          <p id="save-status" class="hint" role="status"></p>
        </div>
        {(used.id !== schema.id || used.version !== schema.version) && (
          <P class="notice" text={fill(texts.otherSchema, { schema: `${used.id} ${used.version}` })} />
        )}
        <P class="hint needs-script keyboard-shortcuts" text={texts.keys} />
        <div id="confirmation" class="confirmation" data-fresh="confirmation">
          <Confirmation opened={opened} count={review.length} language={language} />
        </div>
        <div data-fresh="notices">
          {general.map((warning) => (
            <P class="notice" text={warningText(warning, view)} />
          ))}
        </div>
        <form id="fields" method="post" action={`${opened.id}/update`}>
          <CsrfInput csrf={csrf} />
          <VersionInput document={opened} />
          <Fields {...view} />
          <noscript>
            <div class="actions">
              <Button type="submit" class="primary" text={texts.save} />
              {rowForms(fields).length === 0 && (
                <Button type="submit" name={CONFIRM_FIELD} value="true" text={texts.saveAndConfirm} />
              )}
            </div>
          </noscript>
        </form>
        {rowForms(fields).map(({ id }) => (
          <form id={id} method="post" action={`${opened.id}/update`}>
            <CsrfInput csrf={csrf} />
            <VersionInput document={opened} />
          </form>
        ))}
        <History history={history} opened={opened} schema={schema} view={view} />
      </section>
    </div>
  );
}

/** For browsers without a script, which send row numbers and all values of the page: those of a newer version differ. */
const VersionInput = ({ document }: { document: Document }) => (
  <input type="hidden" name={VERSION_FIELD} value={String(document.version)} />
);

function Confirmation(props: { opened: CompletedDocument; count: number; language: 'en' | 'ru' }): JSX.Element {
  const { opened, count, language } = props;
  const texts = reviewTexts[language];
  const { at, actor } = opened.confirmation ?? {};
  if (at !== undefined && isConfirmed(opened)) {
    return (
      <p class="hint">
        <span safe>{fill(texts.confirmed, { actor: actor! })}</span> <Timestamp at={at} language={language} />
      </p>
    );
  }
  return (
    <>
      <Button type="button" id="confirm" class="needs-script primary" text={texts.confirm} />
      {count > 0 ? (
        <P class="hint" text={fill(texts.fieldsToReview, { count })} />
      ) : (
        <P class="hint needs-script" text={texts.confirmHint} />
      )}
    </>
  );
}
