import type { Facet, FacetName, Found, Hit, Row } from './found.ts';

/** The address of a record's picture. */
export const imageUrl = (recordId: string): string => `/image/${encodeURIComponent(recordId)}`;

/** A record of a list, as JSON tells it. */
export function hitBody(hit: Hit) {
  return {
    record_id: hit.recordId,
    service: hit.service,
    task_id: hit.taskId,
    status: hit.status,
    created_at: hit.createdAt.toISOString(),
    title: hit.title,
    snippet: hit.snippet,
    surface: hit.surface,
    master: hit.master,
    defects: hit.defects,
    image: imageOf(hit),
    open_reports: hit.openReports,
    hidden: hit.hidden,
  };
}

/** A record with all that is known of it; its reports are for whoever knows them to add. */
export function rowBody(row: Row) {
  return {
    ...hitBody(row),
    text: row.text,
    result: row.result,
    neighbours: { prev: row.prev, next: row.next },
  };
}

/** The facets of a search; without any where none were asked for. */
export function facetsBody(facets: Found['facets']): Partial<Record<FacetName, Facet>> {
  return facets ?? {};
}

function imageOf({ image, recordId }: Hit) {
  return image && { url: imageUrl(recordId), width: image.width, height: image.height };
}
