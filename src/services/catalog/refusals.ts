import { Fault } from '../../base/faults.ts';

export const forbidden = () => new Fault('FORBIDDEN', 403, 'This requires a moderator token; yours is a reader token.');
export const csrfFailed = () =>
  new Fault('CSRF_FAILED', 403, 'The request came from a page of another site; open the catalog’s page and try again.');
export const recordNotFound = () => new Fault('RECORD_NOT_FOUND', 404, 'Record not found.');
export const reportNotFound = () => new Fault('REPORT_NOT_FOUND', 404, 'Report not found.');
export const viewNotFound = () => new Fault('VIEW_NOT_FOUND', 404, 'Saved view not found.');
export const imageNotFound = () => new Fault('IMAGE_NOT_FOUND', 404, 'The record has no picture.');
export const imageHidden = () => new Fault('IMAGE_HIDDEN', 410, 'The record and its picture are hidden.');
export const soundNotFound = () => new Fault('SOUND_NOT_FOUND', 404, 'The recording has been deleted.');
/** For a record that never had a recording. */
export const noSound = () => new Fault('SOUND_NOT_FOUND', 404, 'The record has no recording.');
/** `report`: the current report as a response body. */
export const invalidTransition = (why: string, report: object) =>
  new Fault('INVALID_TRANSITION', 409, why, {}, { more: { report } });
export const reportChanged = (report: object) =>
  new Fault('VERSION_CONFLICT', 412, 'The report has changed since you read it.', {}, { more: { report } });
export const viewExists = () => new Fault('VIEW_EXISTS', 409, 'You already have a saved view with this name.');
export const tooManyViews = (most: number) =>
  new Fault('TOO_MANY_VIEWS', 409, `At most ${most} views can be saved; delete one.`);
export const heatmapNotFound = () => new Fault('HEATMAP_NOT_FOUND', 404, 'The record has no heatmap.');
export const rangeNotSatisfiable = (size: number) =>
  new Fault('RANGE_NOT_SATISFIABLE', 416, `The file has ${size} bytes.`, { 'content-range': `bytes */${size}` });
export const invalidToken = () =>
  new Fault('UNAUTHORIZED', 401, 'The token is invalid.', { 'www-authenticate': 'Bearer' });
export const databaseUnavailable = () =>
  new Fault('DATABASE_UNAVAILABLE', 503, 'The database is unavailable.', { 'retry-after': '5' });
export const tooManyRecords = (most: number) =>
  new Fault('PAYLOAD_TOO_LARGE', 413, `A request can index at most ${most} records.`);
export const indexUnavailable = () =>
  new Fault('INDEX_UNAVAILABLE', 503, 'The index is not writable at the moment; nothing was changed.', {
    'retry-after': '5',
  });
