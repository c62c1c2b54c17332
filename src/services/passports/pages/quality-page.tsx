import type { Static } from 'typebox';
import type { Gateway } from '../../../http/gateway.ts';
import { fill } from '../../../ui/browser/fill.ts';
import { createNumberFormats, type NumberFormats } from '../../../ui/browser/number-formats.ts';
import { BackLink, PageIntro } from '../../../ui/page-intro.tsx';
import { Button, Label, P, Th } from '../../../ui/text-elements.tsx';
import { loadQuality } from '../quality.ts';
import { inLanguage, type Schema } from '../schema/schema.ts';
import { QualityQuery, type QualityStats } from '../statistics-schema.ts';
import type { DocumentStore } from '../store/postgres.ts';
import type { Frame } from './frame.tsx';
import { type QualityTexts, qualityTexts } from './quality-texts.ts';

type Stats = Static<typeof QualityStats>;
type FieldStats = Stats['total'];

const PRECISIONS = [0.9, 0.95, 0.98, 0.99, 0.995, 1];

/** `GET /quality`: precision of the extracted values by field and confidence. */
export function qualityPage(
  app: Gateway,
  { frame, documents, schema }: { frame: Frame; documents: DocumentStore; schema: Schema },
): void {
  app.get<{ Querystring: Static<typeof QualityQuery> }>(
    '/quality',
    { config: { access: 'public', page: true }, schema: { hide: true, querystring: QualityQuery } },
    async (request, reply) => {
      const viewer = await frame.viewer(request);
      // As for `GET /api/stats/quality`.
      if (!viewer.signedIn) return reply.redirect('login', 303);
      const { language } = viewer;
      const { precision } = request.query;
      const texts = qualityTexts[language];
      const numbers = createNumberFormats(language);
      const stats = await loadQuality(documents, schema, { precision, language });
      return frame.send(reply, viewer, {
        title: texts.title,
        styles: ['services/passports/browser/quality.css'],
        children: (
          <>
            <BackLink text={texts.back} />
            <PageIntro title={texts.title} lead={texts.lead} />
            <form method="get" action="quality" class="precision-form">
              <Label for="precision" text={texts.chosen} />
              <select id="precision" name="precision">
                {[...new Set([...PRECISIONS, precision])]
                  .toSorted((a, b) => a - b)
                  .map((value) => (
                    <option value={String(value)} selected={value === precision} safe>
                      {numbers.share(value)}
                    </option>
                  ))}
              </select>
              <Button type="submit" text={texts.show} />
            </form>
            <P
              class="hint"
              text={fill(texts.documents, { count: numbers.count(stats.documents), engine: stats.engine })}
            />
            <Table stats={stats} schema={schema} language={language} texts={texts} numbers={numbers} />
            <P class="hint" text={texts.legend} />
          </>
        ),
      });
    },
  );
}

function Table(props: {
  stats: Stats;
  schema: Schema;
  language: 'en' | 'ru';
  texts: QualityTexts;
  numbers: NumberFormats;
}): JSX.Element {
  const { stats, schema, language, texts, numbers } = props;
  const bands = stats.total.bands.map(({ from, to }) => `${numbers.decimal(from)}–${numbers.decimal(to)}`);
  return (
    <section class="scroll" tabindex="0" aria-label={texts.title}>
      <table class="quality">
        <thead>
          <tr>
            {[texts.field, texts.read, texts.corrected, texts.missed, texts.precision].map((text) => (
              <Th scope="col" text={text} />
            ))}
            {bands.map((band) => (
              <Th scope="col" text={fill(texts.band, { band })} />
            ))}
            <Th scope="col" text={texts.automatic} />
            <Th scope="col" text={texts.threshold} />
          </tr>
        </thead>
        <tbody>
          <Row label={texts.total} stats={stats.total} numbers={numbers} />
        </tbody>
        {schema.sections.map((section) => (
          <tbody>
            <tr>
              <Th scope="colgroup" colspan={String(7 + bands.length)} text={inLanguage(section.title, language)} />
            </tr>
            {stats.fields
              .filter(({ field }) => field.startsWith(`${section.key}:`))
              .map((field) => (
                <Row label={field.label} stats={field} numbers={numbers} />
              ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}

function Row(props: { label: string; stats: FieldStats; numbers: NumberFormats }): JSX.Element {
  const { label, stats, numbers } = props;
  const { read, corrected, missed, precision, bands, automatic } = stats;
  const percent = (share: number | null) => (share === null ? '–' : numbers.share(share));
  const withCount = (share: number | null, count: number) => `${percent(share)} (${numbers.count(count)})`;
  const cells = [
    ...[read, corrected, missed].map(numbers.count),
    percent(precision),
    ...bands.map((band) => (band.read === 0 ? '–' : withCount(band.precision, band.read))),
    automatic ? withCount(automatic.share, automatic.samples) : read === 0 ? '–' : percent(0),
    automatic ? numbers.decimal(automatic.threshold) : '–',
  ];
  return (
    <tr>
      <Th scope="row" text={label} />
      {cells.map((text) => (
        <td safe>{text}</td>
      ))}
    </tr>
  );
}
