import { randomUUID } from 'node:crypto';
import { skip } from '../breach.ts';
import { step, type Visit } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { isSuccess } from '../expect.ts';
import { tooLong, until } from '../poll.ts';
import type { Ask } from '../probe.ts';
import { isRecord } from '../shape.ts';
import { blankPdf, numbered } from './documents.ts';

/** An id that no task and no image has. */
export const NOBODYS = randomUUID();

export const COOKIE = 'bti_session_id';

/** The answer to the key; throws a `Skip` where none was given. */
export const exchanged = step(async ({ probe, apiKey }) => {
  if (apiKey === undefined) return skip('no --api-key was given');
  return probe.post('/auth/token', { json: { api_key: apiKey }, as: 'with the key' });
});

/** The token of the key. */
export const token = step(async (visit) => {
  const answer = await exchanged(visit);
  const { token: found } = isRecord(answer.json) ? answer.json : {};
  if (typeof found !== 'string') return skip(`the key brought no token: POST /auth/token answered ${answer.status}`);
  return found;
});

/** The visitor with a token and no session. */
export const asProgram = async (visit: Visit): Promise<Ask> => ({ token: await token(visit), as: 'with the token' });

export interface Sent {
  readonly answer: Exchange;
  /** The session that the upload began or belongs to, where it is one of a cookie. */
  readonly cookie: string | undefined;
}

/**
 * The first upload, by somebody who is not known yet. How an upload looks is not in the specification: files in parts
 * named `files` are what it is tried with.
 */
export const uploaded = step(async (visit): Promise<Sent> => {
  const bytes = numbered(await visit.specimens.document(), visit.nonce);
  const files = [{ field: 'files', name: `conform-${visit.nonce}.pdf`, type: 'application/pdf', bytes }];
  const anonymous = await visit.probe.post('/upload', { files, as: 'by nobody in particular' });
  const needsToken = anonymous.status === 401 || anonymous.status === 403;
  const answer = needsToken ? await visit.probe.post('/upload', { files, ...(await asProgram(visit)) }) : anonymous;
  return { answer, cookie: cookieOf(answer) };
});

/** The visitor with the token and the session of the upload: who may do everything with its document. */
export const asOwner = step(async (visit): Promise<Ask> => {
  const { answer, cookie } = await uploaded(visit);
  if (answer.status >= 400) {
    return skip(`no document was uploaded: POST /upload with a part named files answered ${answer.status}`);
  }
  return { token: await token(visit), cookie, as: cookie ? 'with the token and the session' : 'with the token' };
});

export const list = async (visit: Visit, query = '') => visit.probe.get(`/api/tasks${query}`, await asOwner(visit));

/** The tasks of a list, whatever else it is. */
export const itemsOf = ({ json }: Exchange): Record<string, unknown>[] =>
  isRecord(json) && Array.isArray(json['items']) ? json['items'].filter(isRecord) : [];

/** The list of the session right after the first upload. */
export const listed = step((visit) => list(visit));

/** The id of the document that was uploaded first. */
export const document = step(async (visit) => newest(await listed(visit)));

function newest(answer: Exchange): string {
  const id = itemsOf(answer)[0]?.['id'];
  return typeof id === 'string'
    ? id
    : skip(`the document is not in the list: GET /api/tasks answered ${answer.status}`);
}

export const readStatus = async (visit: Visit, id: string) =>
  visit.probe.get(`/api/task/${id}/status`, await asOwner(visit));

export const statusOf = ({ json }: Exchange): unknown => (isRecord(json) ? json['status'] : undefined);

async function ended(visit: Visit, id: string): Promise<Exchange> {
  const isOver = (answer: Exchange) => !['PENDING', 'PROCESSING'].includes(statusOf(answer) as string);
  return (await until(visit, () => readStatus(visit, id), isOver)) ?? skip(tooLong(visit));
}

/** The id of the document, when it has been extracted. */
export const extracted = step(async (visit) => {
  const id = await document(visit);
  const last = statusOf(await ended(visit, id));
  return last === 'SUCCESS' ? id : skip(`the document ended as ${String(last)}`);
});

/** The id of another document: an empty page, of which nothing can be extracted. */
export const empty = step(async (visit) => {
  const bytes = numbered(blankPdf(), visit.nonce);
  const files = [{ field: 'files', name: `conform-empty-${visit.nonce}.pdf`, type: 'application/pdf', bytes }];
  const known = new Set(itemsOf(await list(visit)).map(({ id }) => id));
  const answer = await visit.probe.post('/upload', { files, ...(await asOwner(visit)) });
  if (!isSuccess(answer) && answer.status >= 400)
    return skip(`an empty page is not taken: POST /upload answered ${answer.status}`);
  const id = itemsOf(await list(visit)).find((item) => !known.has(item['id']))?.['id'];
  return typeof id === 'string' ? id : skip('the second document is not in the list');
});

/** The id of the empty document, when it has failed. */
export const failed = step(async (visit) => {
  const id = await empty(visit);
  const last = statusOf(await ended(visit, id));
  return last === 'FAILED' || last === 'ERROR' ? id : skip(`a document that is an empty page ended as ${String(last)}`);
});

export const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);

/** The session cookie that an answer sets, as it is sent back. */
export function cookieOf({ headers }: Exchange): string | undefined {
  const line = headers.getSetCookie().find((one) => one.startsWith(`${COOKIE}=`));
  const value = line?.slice(COOKIE.length + 1).split(';')[0];
  return value ? `${COOKIE}=${value}` : undefined;
}
