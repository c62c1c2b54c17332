import type { ReportFilters } from '../reports/report.ts';
import { filtersFrom } from '../search/filter-query.ts';
import type { FilterParameters } from './report-schema.ts';

/** Throws `InvalidInput`. */
export function reportFilters({
  action_type: actionType,
  record_id: recordId,
  q,
  ...period
}: FilterParameters): ReportFilters {
  const { from, to } = filtersFrom(period, null);
  return {
    ...(actionType !== undefined && { actionType }),
    ...(recordId !== undefined && { recordId }),
    ...(q !== undefined && { q }),
    ...(from && { from }),
    ...(to && { to }),
  };
}
