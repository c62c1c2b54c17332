import { ApiError } from '../../base/api-error.ts';

export const forbidden = () =>
  new ApiError('FORBIDDEN', 403, 'This requires a moderator token; yours is a reader token.');
export const recordNotFound = () => new ApiError('RECORD_NOT_FOUND', 404, 'Record not found.');
export const reportNotFound = () => new ApiError('REPORT_NOT_FOUND', 404, 'Report not found.');
export const viewNotFound = () => new ApiError('VIEW_NOT_FOUND', 404, 'Saved view not found.');
export const imageNotFound = () => new ApiError('IMAGE_NOT_FOUND', 404, 'The record has no picture.');
export const imageHidden = () => new ApiError('IMAGE_HIDDEN', 410, 'The record and its picture are hidden.');
export const soundNotFound = () => new ApiError('SOUND_NOT_FOUND', 404, 'The recording has been deleted.');
/** For a record that never had a recording. */
export const recordHasNoSound = () => new ApiError('SOUND_NOT_FOUND', 404, 'The record has no recording.');
/** `report`: the current report as a response body. */
export const invalidTransition = (why: string, report: object) =>
  new ApiError('INVALID_TRANSITION', 409, why, {}, { more: { report } });
export const reportChanged = (report: object) =>
  new ApiError('VERSION_CONFLICT', 412, 'The report has changed since you read it.', {}, { more: { report } });
export const viewExists = () => new ApiError('VIEW_EXISTS', 409, 'You already have a saved view with this name.');
export const tooManyViews = (most: number) =>
  new ApiError('TOO_MANY_VIEWS', 409, `At most ${most} views can be saved; delete one.`);
export const tooManyAlerts = (most: number) =>
  new ApiError('TOO_MANY_ALERTS', 409, `At most ${most} views can have an alert; remove one.`);
export const tooManyAlertsInAll = (most: number) =>
  new ApiError('TOO_MANY_ALERTS', 409, `The catalog has ${most} alerts, and no more are possible; remove one.`);
export const alertNotFound = () => new ApiError('ALERT_NOT_FOUND', 404, 'The saved view has no alert.');
export const pictureSearchUnavailable = () =>
  new ApiError(
    'PICTURE_SEARCH_UNAVAILABLE',
    503,
    'The photo was not analysed: no defectoscopy worker processed it in time.',
    {
      'retry-after': '30',
    },
  );
export const tooManyPictureSearches = () =>
  new ApiError('PICTURE_SEARCH_UNAVAILABLE', 503, 'Too many searches by a photo are running.', { 'retry-after': '5' });
export const heatmapNotFound = () => new ApiError('HEATMAP_NOT_FOUND', 404, 'The record has no heatmap.');
export const rangeNotSatisfiable = (size: number) =>
  new ApiError('RANGE_NOT_SATISFIABLE', 416, `The file has ${size} bytes.`, { 'content-range': `bytes */${size}` });
export const invalidToken = () =>
  new ApiError('UNAUTHORIZED', 401, 'The token is invalid.', { 'www-authenticate': 'Bearer' });
export const databaseUnavailable = () =>
  new ApiError('DATABASE_UNAVAILABLE', 503, 'The database is unavailable.', { 'retry-after': '5' });
export const tooManyRecords = (most: number) =>
  new ApiError('PAYLOAD_TOO_LARGE', 413, `A request can index at most ${most} records.`);
/** `written`: at least, because the outcome of the last commit can be unknown. */
export const importInterrupted = (written: number, of: number) =>
  new ApiError(
    'INDEX_UNAVAILABLE',
    503,
    `The index is not writable at the moment; at least ${written} of the ${of} valid records are imported. Repeat the request.`,
    { 'retry-after': '5' },
  );
export const indexUnavailable = () =>
  new ApiError('INDEX_UNAVAILABLE', 503, 'The index is not writable at the moment; nothing was changed.', {
    'retry-after': '5',
  });
