import type { Static } from 'typebox';
import type { Gateway } from '../../../http/gateway.ts';
import { fill } from '../../../ui/browser/fill.ts';
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
      const stats = await loadQuality(documents, schema, { precision, language });
      return frame.send(reply, viewer, {
        title: texts.title,
        styles: ['services/passports/browser/quality.css'],
        children: (
          <>
            <BackLink text={texts.back} />
            <PageIntro title={texts.title} lead={texts.lead} />
            <form method="get" action="quality" class="row">
              <Label for="precision" text={texts.chosen} />
              <input
                id="precision"
                name="precision"
                type="number"
                min="0.5"
                max="1"
                step="any"
                required
                value={String(precision)}
              />
              <Button type="submit" text={texts.show} />
            </form>
            <P class="hint" text={fill(texts.documents, { count: stats.documents, engine: stats.engine })} />
            <Table stats={stats} schema={schema} language={language} texts={texts} />
            <P class="hint" text={texts.legend} />
          </>
        ),
      });
    },
  );
}

function Table(props: { stats: Stats; schema: Schema; language: 'en' | 'ru'; texts: QualityTexts }): JSX.Element {
  const { stats, schema, language, texts } = props;
  const bands = stats.total.bands.map(({ from, to }) => `${from}–${to}`);
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
          <Row label={texts.total} stats={stats.total} />
        </tbody>
        {schema.sections.map((section) => (
          <tbody>
            <tr>
              <Th scope="colgroup" colspan={String(7 + bands.length)} text={inLanguage(section.title, language)} />
            </tr>
            {stats.fields
              .filter(({ field }) => field.startsWith(`${section.key}:`))
              .map((field) => (
                <Row label={field.label} stats={field} />
              ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}

function Row({ label, stats }: { label: string; stats: FieldStats }): JSX.Element {
  const { read, corrected, missed, precision, bands, automatic } = stats;
  const cells = [
    ...[String(read), String(corrected), String(missed), percent(precision)],
    ...bands.map((band) => (band.read === 0 ? '–' : `${percent(band.precision)} (${band.read})`)),
    automatic ? `${percent(automatic.share)} (${automatic.samples})` : read === 0 ? '–' : percent(0),
    automatic ? String(automatic.threshold) : '–',
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

const percent = (share: number | null): string => (share === null ? '–' : `${Math.floor(share * 1000) / 10}\u00a0%`);
