import { Fault } from '../../base/faults.ts';

/** What the catalog refuses, besides what every service does; code, status and sentence stand here once. */

export const forbidden = () => new Fault('FORBIDDEN', 403, 'This is for moderators: your token is a reader’s.');
export const csrfFailed = () =>
  new Fault('CSRF_FAILED', 403, 'The request came from a page of another site; open our own page and try again.');
export const recordNotFound = () => new Fault('RECORD_NOT_FOUND', 404, 'There is no such record.');
export const reportNotFound = () => new Fault('REPORT_NOT_FOUND', 404, 'There is no such report.');
export const viewNotFound = () => new Fault('VIEW_NOT_FOUND', 404, 'There is no such saved view.');
export const imageNotFound = () => new Fault('IMAGE_NOT_FOUND', 404, 'There is no picture of this record.');
export const imageHidden = () => new Fault('IMAGE_HIDDEN', 410, 'The record is hidden, and its picture with it.');
export const soundNotFound = () => new Fault('SOUND_NOT_FOUND', 404, 'The recording is not kept any more.');
/** Of a record that never had one. */
export const noSound = () => new Fault('SOUND_NOT_FOUND', 404, 'There is no recording of this record.');
/** `report`: as it stands, in the words of the wire. */
export const invalidTransition = (why: string, report: object) =>
  new Fault('INVALID_TRANSITION', 409, why, {}, { more: { report } });
export const reportChanged = (report: object) =>
  new Fault('VERSION_CONFLICT', 412, 'The report has changed since you read it.', {}, { more: { report } });
export const viewExists = () => new Fault('VIEW_EXISTS', 409, 'You have a saved view of this name already.');
export const tooManyViews = (most: number) =>
  new Fault('TOO_MANY_VIEWS', 409, `At most ${most} views can be saved; remove one.`);
export const heatmapNotFound = () => new Fault('HEATMAP_NOT_FOUND', 404, 'There is no heatmap of this record.');
export const rangeNotSatisfiable = (size: number) =>
  new Fault('RANGE_NOT_SATISFIABLE', 416, `There are ${size} bytes.`, { 'content-range': `bytes */${size}` });
export const invalidToken = () =>
  new Fault('UNAUTHORIZED', 401, 'There is no such token.', { 'www-authenticate': 'Bearer' });
export const databaseUnavailable = () =>
  new Fault('DATABASE_UNAVAILABLE', 503, 'The database does not answer.', { 'retry-after': '5' });
export const tooManyRecords = (most: number) =>
  new Fault('PAYLOAD_TOO_LARGE', 413, `At most ${most} records can be indexed at a time.`);
export const indexUnavailable = () =>
  new Fault('INDEX_UNAVAILABLE', 503, 'The index cannot be written now; nothing was changed.', { 'retry-after': '5' });
