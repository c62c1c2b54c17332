import { Type } from 'typebox';
import { nullable } from '../api-schema.ts';
import { FACET_NAMES, type FacetName, type Hit, type Row } from './search-types.ts';
import type { SimilarHit } from './similar.ts';

const Scored = Type.Object({ name: Type.String(), conf: Type.Number({ minimum: 0, maximum: 1 }) });

export const HitBody = Type.Object({
  record_id: Type.String(),
  service: Type.String({ description: 'The service of the task, or `import`.' }),
  task_id: nullable(Type.String()),
  status: Type.Enum(['done', 'failed']),
  created_at: Type.String({
    format: 'date-time',
    description: 'When the task was created, or the date of an imported record.',
  }),
  title: Type.String(),
  project: Type.Optional(Type.String({ description: 'Of the request, if it had one.' })),
  tags: Type.Optional(Type.Array(Type.String(), { description: 'Of the request, if it had some.' })),
  snippet: Type.String({ description: 'Plain text of at most 200 characters around the first match.' }),
  surface: nullable(Type.String()),
  master: nullable(Scored),
  defects: Type.Array(Scored, { description: 'By descending confidence.' }),
  image: nullable(Type.Object({ url: Type.String(), width: Type.Integer(), height: Type.Integer() })),
  open_reports: Type.Integer({ description: 'Reports that are open or in review.' }),
  hidden: Type.Boolean({ description: 'Hidden by an accepted report and visible to moderators only.' }),
});

const FacetBody = Type.Array(
  Type.Object({
    value: Type.String(),
    count: Type.Integer(),
    more: Type.Boolean({ description: 'Whether there can be more: above 1000, or without `facets_complete`.' }),
  }),
);

export const SearchResultBody = Type.Object({
  items: Type.Array(HitBody),
  total: Type.Integer({
    description:
      'Number of results on all pages, with `after` of those after it. With `more` it is a lower bound: at least 1000 and greater than the number of results up to this page, unless it is the last one.',
  }),
  more: Type.Boolean({
    description:
      'Whether there are more results than are counted: more than 1000 with `facets=false` or `after`, else more than the facets count.',
  }),
  page: Type.Integer(),
  limit: Type.Integer(),
  facets: Type.Partial(
    Type.Object(
      Object.fromEntries(FACET_NAMES.map((name) => [name, FacetBody])) as Record<FacetName, typeof FacetBody>,
    ),
    { description: 'Counts per value, over all filters except the facet’s own. Empty with `facets=false`.' },
  ),
  facets_complete: Type.Optional(
    Type.Boolean({
      description:
        'With facets: whether they count all results. False if more than 5 000 records match, or twice as many judging by the newest records, and not only facets are filtered; those among the newest 10 000 records of the period are counted then. Also false if the records have more than 10 000 combinations of values, of which the most frequent ones are counted.',
    }),
  ),
  attribute_facets: Type.Optional(
    Type.Array(
      Type.Object({
        field: Type.String(),
        label: nullable(
          Type.Object({ en: Type.String(), ru: Type.String() }, { description: 'Of a field of documents.' }),
        ),
        values: FacetBody,
      }),
      {
        description:
          'With facets: counts per text or truth value of the fields of documents and attributes with at most 30 different ones, over all filters except the field’s own; the 20 fields that most records have. Of more than 1 000 results they count the first 200. Empty with `after`.',
      },
    ),
  ),
  filters: Type.Object({}, { additionalProperties: true, description: 'The applied filters.' }),
  took_ms: Type.Number(),
  upto: Type.Integer({ description: 'Send it with the next page to exclude records indexed since.' }),
  next: Type.Optional(
    Type.String({ description: 'Of a full page: send it as `after` for the results after this page.' }),
  ),
});

export const imageUrl = (recordId: string): string => `/image/${encodeURIComponent(recordId)}`;

export function hitBody(hit: Omit<Hit, 'snippet'> & { readonly snippet?: string }) {
  const { recordId, image } = hit;
  return {
    record_id: recordId,
    service: hit.service,
    task_id: hit.taskId,
    status: hit.status,
    created_at: hit.createdAt.toISOString(),
    title: hit.title,
    ...(hit.project !== null && { project: hit.project }),
    ...(hit.tags.length > 0 && { tags: hit.tags }),
    ...(hit.snippet !== undefined && { snippet: hit.snippet }),
    surface: hit.surface,
    master: hit.master,
    defects: hit.defects,
    image: image && { url: imageUrl(recordId), width: image.width, height: image.height },
    open_reports: hit.openReports,
    hidden: hit.hidden,
  };
}

export const SimilarBody = Type.Object({
  items: Type.Array(
    Type.Object({
      ...HitBody.properties,
      similarity: nullable(
        Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'Cosine of the features of the photos. Null if one of them has no features of the same network.',
        }),
      ),
      same_photo: Type.Boolean({
        description: 'Whether the record has the same photo, also resized, compressed again or cropped.',
      }),
      copies: Type.Optional(
        Type.Integer({
          description:
            'With `group`: further visible records with the photo of this one, besides the requested record, up to 1000.',
        }),
      ),
    }),
    { description: 'Records with the same photo first, then by descending similarity.' },
  ),
});

/** The cosine with four decimals. */
export const similarBody = ({ similarity, samePhoto, copies, ...hit }: SimilarHit) => ({
  ...hitBody(hit),
  similarity: similarity === null ? null : Math.round(similarity * 1e4) / 1e4,
  same_photo: samePhoto,
  ...(copies !== undefined && { copies }),
});

/** Without its reports. */
export function rowBody(row: Row) {
  const { prev, next } = row;
  return { ...hitBody(row), text: row.text, result: row.result, neighbours: { prev, next } };
}
