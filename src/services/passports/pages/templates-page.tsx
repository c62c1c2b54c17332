import type { Gateway } from '../../../http/gateway.ts';
import { fill } from '../../../ui/browser/fill.ts';
import { BackLink, PageIntro } from '../../../ui/page-intro.tsx';
import { A, Button, P, Span } from '../../../ui/text-elements.tsx';
import { Timestamp } from '../../../ui/timestamp.tsx';
import { type TemplatesPage, type TemplatesTexts, templatesTexts } from '../browser/templates-texts.ts';
import { fieldKey } from '../schema/keys.ts';
import { inLanguage, type Schema } from '../schema/schema.ts';
import { DEFAULT_NAME } from '../store/lessons.ts';
import type { TemplateCorrection, TemplateRow, TemplateStore } from '../store/templates.ts';
import type { Frame } from './frame.tsx';

type Language = 'en' | 'ru';

/** `GET /templates`: the templates of the API key with their corrections. */
export function templatesPage(
  app: Gateway,
  { frame, templates, schema }: { frame: Frame; templates: TemplateStore; schema: Schema },
): void {
  app.get(
    '/templates',
    { config: { access: 'public', page: true }, schema: { hide: true } },
    async (request, reply) => {
      const viewer = await frame.viewer(request);
      const { caller, signedIn, language } = viewer;
      if (caller === undefined || !signedIn) return reply.redirect('login', 303);
      const rows = await templates.list(caller);
      const texts = templatesTexts[language];
      return frame.send(reply, viewer, {
        title: texts.title,
        data: { texts } satisfies TemplatesPage,
        styles: [
          'services/passports/browser/review.css',
          'services/passports/browser/list.css',
          'services/passports/browser/templates.css',
        ],
        script: 'services/passports/browser/templates-page.js',
        children: (
          <>
            <BackLink text={texts.back} />
            <PageIntro title={texts.title} lead={texts.lead} />
            <p id="error" class="notice bad" role="alert" hidden></p>
            {rows.length === 0 && <P class="hint" text={texts.none} />}
            <ul id="templates" class="templates">
              {rows.map((row) => (
                <Template row={row} texts={texts} language={language} schema={schema} />
              ))}
            </ul>
          </>
        ),
      });
    },
  );
}

interface Shared {
  texts: TemplatesTexts;
  language: Language;
  schema: Schema;
}

function Template({ row, ...shared }: { row: TemplateRow } & Shared): JSX.Element {
  const { texts } = shared;
  const { id, enabled, uses, corrections } = row;
  const name = nameOf(row, texts);
  return (
    <li data-id={id} data-enabled={String(enabled)}>
      <div class="tools">
        <form class="rename">
          <input name="name" type="text" value={name} maxlength="255" required aria-label={texts.name} />
          <Button type="submit" class="small needs-script" text={texts.save} />
        </form>
        <Button type="button" class="small toggle needs-script" text={enabled ? texts.disable : texts.enable} />
        <Button type="button" class="small remove needs-script" text={texts.remove} />
      </div>
      <p class="hint">
        <Span class="state" text={enabled ? texts.enabled : texts.disabled} />
        {' · '}
        <span safe>{fill(texts.uses, { count: uses })}</span>
      </p>
      <P class="hint" text={texts.corrections} />
      <ul class="corrections">
        {corrections.map((correction) => (
          <Correction correction={correction} {...shared} />
        ))}
      </ul>
    </li>
  );
}

/** A name that the service has chosen is stored in English. */
function nameOf({ name }: TemplateRow, { defaultName }: TemplatesTexts): string {
  const number = DEFAULT_NAME.exec(name)?.[1];
  return number === undefined ? name : fill(defaultName, { number });
}

function Correction({ correction, texts, language, schema }: { correction: TemplateCorrection } & Shared): JSX.Element {
  const { document, filename, learnedAt, fields } = correction;
  return (
    <li data-id={document}>
      {filename === null ? (
        <Span class="name" text={texts.deleted} />
      ) : (
        <A class="name" href={`task/${document}`} text={filename} />
      )}
      <span class="hint">
        <Timestamp at={new Date(learnedAt)} language={language} />
        {' · '}
        <span safe>{fields.map((key) => labelOf(key, schema, language)).join(', ')}</span>
      </span>
      <Button type="button" class="small undo needs-script" text={texts.undo} />
    </li>
  );
}

/** The label of a field, or the title of a table's section. */
function labelOf(key: string, schema: Schema, language: Language): string {
  for (const section of schema.sections) {
    if (section.key === key) return inLanguage(section.title, language);
    const field = section.fields?.find((spec) => fieldKey(section, spec) === key);
    if (field) return inLanguage(field.label, language);
  }
  return key;
}
