import { randomUUID } from 'node:crypto';
import { skip } from '../assertion-failure.ts';
import { oncePerRun, type RunContext } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { isSuccess } from '../expect.ts';
import { pollUntil, timeoutReason } from '../poll.ts';
import type { ProbeRequest } from '../probe.ts';
import { isRecord } from '../shape.ts';
import { blankPdf, uniquePdf } from './pdf-fixtures.ts';

export const UNKNOWN_ID = randomUUID();

export const COOKIE = 'bti_session_id';

/** The response of the token exchange. Throws `Skip` without an API key. */
export const tokenResponse = oncePerRun(async ({ probe, apiKey }) => {
  if (apiKey === undefined) return skip('--api-key is missing');
  return probe.post('/auth/token', { json: { api_key: apiKey }, as: 'with the key' });
});

export const token = oncePerRun(async (context) => {
  const response = await tokenResponse(context);
  const { token: found } = isRecord(response.json) ? response.json : {};
  if (typeof found !== 'string')
    return skip(`the API key was not exchanged: POST /auth/token returned ${response.status}`);
  return found;
});

export const withToken = async (context: RunContext): Promise<ProbeRequest> => ({
  token: await token(context),
  as: 'with the token',
});

export interface UploadResult {
  readonly response: Exchange;
  readonly cookie: string | undefined;
}

/** The first upload, without a session. Upload requests are not specified; tries files in parts named `files`. */
export const uploaded = oncePerRun(async (context): Promise<UploadResult> => {
  const bytes = uniquePdf(await context.specimens.document(), context.nonce);
  const files = [{ field: 'files', name: `conform-${context.nonce}.pdf`, type: 'application/pdf', bytes }];
  const anonymous = await context.probe.post('/upload', { files, as: 'without a token or session' });
  const needsToken = anonymous.status === 401 || anonymous.status === 403;
  const response = needsToken
    ? await context.probe.post('/upload', { files, ...(await withToken(context)) })
    : anonymous;
  return { response, cookie: cookieOf(response) };
});

export const withSession = oncePerRun(async (context): Promise<ProbeRequest> => {
  const { response, cookie } = await uploaded(context);
  if (response.status >= 400) {
    return skip(`no document was uploaded: POST /upload with a part named files returned ${response.status}`);
  }
  return { token: await token(context), cookie, as: cookie ? 'with the token and the session' : 'with the token' };
});

export const list = async (context: RunContext, query = '') =>
  context.probe.get(`/api/tasks${query}`, await withSession(context));

export const itemsOf = ({ json }: Exchange): Record<string, unknown>[] =>
  isRecord(json) && Array.isArray(json['items']) ? json['items'].filter(isRecord) : [];

export const listed = oncePerRun((context) => list(context));

export const document = oncePerRun(async (context) => newest(await listed(context)));

function newest(response: Exchange): string {
  const id = itemsOf(response)[0]?.['id'];
  return typeof id === 'string' ? id : skip(`the document is not listed: GET /api/tasks returned ${response.status}`);
}

export const readStatus = async (context: RunContext, id: string) =>
  context.probe.get(`/api/task/${id}/status`, await withSession(context));

export const statusOf = ({ json }: Exchange): unknown => (isRecord(json) ? json['status'] : undefined);

async function ended(context: RunContext, id: string): Promise<Exchange> {
  const isOver = (response: Exchange) => !['PENDING', 'PROCESSING'].includes(statusOf(response) as string);
  return (await pollUntil(context, () => readStatus(context, id), isOver)) ?? skip(timeoutReason(context));
}

export const extracted = oncePerRun(async (context) => {
  const id = await document(context);
  const last = statusOf(await ended(context, id));
  return last === 'SUCCESS' ? id : skip(`the document ended as ${String(last)}`);
});

export const empty = oncePerRun(async (context) => {
  const bytes = uniquePdf(blankPdf(), context.nonce);
  const files = [{ field: 'files', name: `conform-empty-${context.nonce}.pdf`, type: 'application/pdf', bytes }];
  const known = new Set(itemsOf(await list(context)).map(({ id }) => id));
  const response = await context.probe.post('/upload', { files, ...(await withSession(context)) });
  if (!isSuccess(response) && response.status >= 400)
    return skip(`a blank page was rejected: POST /upload returned ${response.status}`);
  const id = itemsOf(await list(context)).find((item) => !known.has(item['id']))?.['id'];
  return typeof id === 'string' ? id : skip('the second document is not listed');
});

export const failed = oncePerRun(async (context) => {
  const id = await empty(context);
  const last = statusOf(await ended(context, id));
  return last === 'FAILED' || last === 'ERROR' ? id : skip(`the blank document ended as ${String(last)}`);
});

export const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);

export function cookieOf({ headers }: Exchange): string | undefined {
  const line = headers.getSetCookie().find((one) => one.startsWith(`${COOKIE}=`));
  const value = line?.slice(COOKIE.length + 1).split(';')[0];
  return value ? `${COOKIE}=${value}` : undefined;
}
