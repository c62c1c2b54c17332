import { omitUndefined } from '../../../base/omit-undefined.ts';
import type { ReportFilters } from '../reports/report.ts';
import { filtersFrom } from '../search/filter-query.ts';
import type { FilterParameters } from './report-schema.ts';

/** Throws `InvalidInput`. */
export function reportFilters(parameters: FilterParameters): ReportFilters {
  const { status, action_type: actionType, record_id: recordId, q, ...period } = parameters;
  const { from, to } = filtersFrom(period, null);
  return omitUndefined({ status, actionType, recordId, q, from, to });
}
