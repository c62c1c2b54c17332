import type { TokenSet } from '../../http/bearer.ts';
import type { Gateway } from '../../http/gateway.ts';
import { type BatchPage, type BatchTexts, batchTexts } from '../../ui/browser/batch-texts.ts';
import { fill } from '../../ui/browser/fill.ts';
import { createNumberFormats } from '../../ui/browser/number-formats.ts';
import { DropZone } from '../../ui/dropzone.tsx';
import { GroupingInputs } from '../../ui/grouping-inputs.tsx';
import { layout, TokenForm } from '../../ui/layout.tsx';
import { BackLink, PageIntro, ScriptNotice } from '../../ui/page-intro.tsx';
import { sendPage } from '../../ui/send-page.ts';
import { Button, H2, Span, Th } from '../../ui/text-elements.tsx';
import { type UiLanguage, uiTexts } from '../../ui/texts.ts';
import { MAX_ITEMS } from './batches/invalid-items.ts';
import { serviceLinks } from './service-links.ts';
import { preferredLanguage } from './task-routes.ts';

/** `GET /batch`: a new batch, or the one in `?id=`. Uses only the public API. */
export function batchPage(
  app: Gateway,
  deps: {
    version: string;
    /** The display name of the service. */
    titles: Readonly<Record<UiLanguage, string>>;
    auth: () => TokenSet['state'];
    typePrefixes: readonly string[];
    /** Of a file. */
    limits: (language: UiLanguage) => string;
    /** Of its tasks, by code. */
    failures: (language: UiLanguage) => Readonly<Record<string, string>>;
    permanentErrors: readonly string[];
    /** Of all items; the script sends their values. */
    inputs?: BatchInputs | undefined;
  },
): void {
  const { version, titles, auth, typePrefixes, limits, failures, permanentErrors, inputs } = deps;
  app.get('/batch', { config: { access: 'public', page: true }, schema: { hide: true } }, async (request, reply) => {
    const language = preferredLanguage(request.headers['accept-language']);
    const data: BatchPage = {
      ...batchData(language, failures(language)),
      ...{ typePrefixes, permanentErrors, itemPath: './?task=', needsToken: auth() === 'enforced' },
    };
    const html = await layout({
      ...{ language, version, assets: await app.assets!(), services: serviceLinks(request, language) },
      ...{ data, service: titles[language], title: data.texts.title },
      styles: [...BATCH_ASSETS.styles, ...(inputs?.styles ?? [])],
      script: inputs?.script ?? BATCH_ASSETS.script,
      children: (
        <BatchSections
          texts={data.texts}
          language={language}
          limits={limits(language)}
          inputs={inputs?.element(language)}
        >
          <TokenForm language={language} />
        </BatchSections>
      ),
    });
    return sendPage(reply, language, html);
  });
}

/** Inputs of the service, with the script of the page. */
export interface BatchInputs {
  element(language: UiLanguage): JSX.Element;
  readonly styles: readonly string[];
  readonly script: string;
}

/** The data of the page that does not depend on its authorization. */
export const batchData = (language: UiLanguage, failures: Readonly<Record<string, string>>) => {
  const { VALIDATION_ERROR: _, ...refusals } = uiTexts[language].refusals;
  const texts = batchTexts[language];
  return { texts, maxFiles: MAX_ITEMS, errorTexts: { ...refusals, ...failures, ...texts.errors } };
};

export const BATCH_ASSETS = { styles: ['ui/drop.css', 'ui/batch.css'], script: 'ui/browser/batch-page.js' };

/** The content of the page; its script is `ui/browser/batch-page.ts`. */
export const BatchSections = ({
  texts,
  language,
  files,
  limits,
  inputs,
  children,
}: Props & ChoiceProps & { readonly children: JSX.Element }): JSX.Element => (
  <>
    <BackLink text={texts.back} />
    <PageIntro title={texts.title} lead={texts.lead} />
    <ScriptNotice language={language} />
    <div class="needs-script batch">
      {children}
      <p id="error" class="notice bad" role="alert" hidden></p>
      <Choice texts={texts} language={language} files={files} limits={limits} inputs={inputs} />
      <Invalid texts={texts} />
      <Progress texts={texts} />
      <Items texts={texts} />
      <Recent texts={texts} />
    </div>
    <p id="live" class="visually-hidden" role="status"></p>
  </>
);

interface Props {
  readonly texts: BatchTexts;
}

interface ChoiceProps {
  readonly language: UiLanguage;
  /** If the choice is narrower than the file types of the service; `hint` and `command` say what to do with others. */
  readonly files?: { readonly accept: string; readonly hint: string; readonly command: string } | undefined;
  /** Of a file. */
  readonly limits: string;
  readonly inputs?: JSX.Element | undefined;
}

/** Missing in the types of elements. */
const FOLDER = { webkitdirectory: true };

const FolderIcon = (): JSX.Element => <path d="M6 38V12h13l4 5h19v21z" />;

const Choice = ({ texts: { choose }, language, files, limits, inputs }: Props & ChoiceProps): JSX.Element => (
  <section id="file-selection" class="panel" aria-labelledby="file-selection-title">
    <H2 id="file-selection-title" text={choose.title} />
    <fieldset id="inputs">
      {files ? (
        <p class="hint">
          <Span text={files.hint} /> <code safe>{files.command}</code>.
        </p>
      ) : (
        ''
      )}
      <DropZone
        words={choose.drop}
        icon={<FolderIcon />}
        limits={fill(choose.limits, { file: limits, count: createNumberFormats(language).count(MAX_ITEMS) })}
        {...(files && { accept: files.accept })}
      >
        <label class="button">
          <input id="folder" type="file" class="visually-hidden" {...FOLDER} />
          <Span text={choose.folder} />
        </label>
      </DropZone>
      {inputs ?? ''}
      <GroupingInputs words={choose.grouping} />
    </fieldset>
    <div id="omitted-files" class="hint"></div>
  </section>
);

const Invalid = ({ texts: { invalid } }: Props): JSX.Element => (
  <section id="invalid" class="panel" aria-labelledby="invalid-title" hidden>
    <H2 id="invalid-title" tabindex="-1" text={invalid.title} />
    <p id="invalid-counts"></p>
    <ul id="invalid-files"></ul>
    <div class="row">
      <button type="button" id="continue" class="primary"></button>
    </div>
  </section>
);

const Progress = ({ texts: { progress, states } }: Props): JSX.Element => (
  <section id="progress" class="panel" aria-labelledby="progress-title" hidden>
    <H2 id="progress-title" tabindex="-1" text={progress.title} />
    <p id="groups" class="groups" hidden></p>
    <p id="status"></p>
    <progress id="bar" max="1" value="0" aria-labelledby="status"></progress>
    <p id="remaining" class="hint" hidden></p>
    <dl id="counts" hidden>
      {(['queued', 'processing', 'done', 'failed', 'cancelled'] as const).map((state) => (
        <div>
          <dt safe>{states[state]}</dt>
          <dd id={`count-${state}`}>0</dd>
        </div>
      ))}
    </dl>
    <div id="actions" class="row" hidden>
      <Button type="button" id="cancel" text={progress.cancel} />
      <Button type="button" id="retry" text={progress.retry} hidden />
      <span id="permanent-note" class="hint" safe hidden>
        {progress.notRetried}
      </span>
      <span id="cancelled-note" class="hint" safe hidden>
        {progress.cancelled}
      </span>
      <span id="downloads" hidden>
        <Span text={`${progress.download}: `} />
        <Button type="button" class="small" data-format="csv" text="CSV" />
        <Button type="button" class="small" data-format="jsonl" text="JSON Lines" />
        <Button type="button" class="small" data-format="xlsx" text="XLSX" />
        <Button type="button" class="small" data-format="zip" text="ZIP" />
        <Span class="hint" text={progress.formats} />
      </span>
    </div>
  </section>
);

const Items = ({ texts: { items } }: Props): JSX.Element => (
  <section id="items" class="panel" aria-labelledby="items-title" hidden>
    <H2 id="items-title" text={items.title} />
    <label id="filter" hidden>
      <input id="only-failed" type="checkbox" /> <Span text={items.onlyFailed} />
    </label>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">№</th>
            <Th scope="col" text={items.file} />
            <Th scope="col" text={items.state} />
            <Th scope="col" text={items.result} />
          </tr>
        </thead>
        <tbody id="rows"></tbody>
      </table>
    </div>
    <div class="row">
      <Button type="button" id="previous" text={items.previous} />
      <span id="range" class="hint"></span>
      <Button type="button" id="next" text={items.next} />
    </div>
  </section>
);

const Recent = ({ texts: { recent, items } }: Props): JSX.Element => (
  <section id="recent" class="panel" aria-labelledby="recent-title" hidden>
    <H2 id="recent-title" text={recent.title} />
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <Th scope="col" text={recent.name} />
            <Th scope="col" text={recent.created} />
            <Th scope="col" text={recent.grouping} />
            <Th scope="col" text={items.state} />
          </tr>
        </thead>
        <tbody id="recent-rows"></tbody>
      </table>
    </div>
  </section>
);
