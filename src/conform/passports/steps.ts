import { randomUUID } from 'node:crypto';
import { skip } from '../assertion-failure.ts';
import { oncePerRun, type RunContext } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { assertShape } from '../expect.ts';
import { growing, pollUntilFinal } from '../poll.ts';
import type { ProbeRequest, Upload } from '../probe.ts';
import { isRecord, oneOf } from '../shape.ts';
import { blankPdf, uniquePdf } from './pdf-fixtures.ts';

export const UNKNOWN_ID = randomUUID();

export const COOKIE = 'bti_session_id';

/** Cited by several checks. */
export const VALIDATION = [
  '7',
  'Validation failures (HTTP validation errors) return the `detail` array body of section 2.4.',
] as const;

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

/** A PDF of this run as a part named `files`; upload requests are not specified. */
function pdfFile({ nonce }: RunContext, name: string, pdf: Uint8Array) {
  return [{ field: 'files', name: `${name}-${nonce}.pdf`, type: 'application/pdf', bytes: uniquePdf(pdf, nonce) }];
}

/** An image as a part named `files`; the request is not specified. */
export const imageFile = async ({ specimens, nonce }: RunContext): Promise<Upload> => ({
  ...{ field: 'files', name: `conform-${nonce}.jpg`, type: 'image/jpeg' },
  bytes: await specimens.image(),
});

/** The first upload, without a session. */
export const uploaded = oncePerRun(async (context) => {
  const files = pdfFile(context, 'conform', await context.specimens.document());
  return uploadWithoutSession(context, '/upload', files);
});

/** With the token only if it is needed. */
async function uploadWithoutSession(context: RunContext, path: string, files: Upload[]) {
  const anonymous = await context.probe.post(path, { files, as: 'without a token or session' });
  const needsToken = anonymous.status === 401 || anonymous.status === 403;
  const response = needsToken ? await context.probe.post(path, { files, ...(await withToken(context)) }) : anonymous;
  return { response, cookie: cookieOf(response) };
}

export const withSession = oncePerRun(async (context): Promise<ProbeRequest> => {
  const { response, cookie } = await uploaded(context);
  if (response.status >= 400) {
    return skip(`no document was uploaded: POST /upload with a part named files returned ${response.status}`);
  }
  return { token: await token(context), cookie, as: cookie ? 'with the token and the session' : 'with the token' };
});

/** A request in the session, whose path may depend on a task. */
export const request =
  (method: 'get' | 'post' | 'delete', path: (id: string) => string) =>
  async (context: RunContext, id = '') =>
    context.probe[method](path(id), await withSession(context));

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

/** The document in a list, by default in a new one. */
export async function listedItem(context: RunContext, response?: Exchange) {
  const [id, found] = [await document(context), response ?? (await list(context))];
  return { response: found, item: itemsOf(found).find((item) => item['id'] === id) };
}

export const readStatus = request('get', (id) => `/api/task/${id}/status`);

export const statusOf = ({ json }: Exchange): unknown => (isRecord(json) ? json['status'] : undefined);

const ended = (context: RunContext, id: string) =>
  pollUntilFinal(
    context,
    () => readStatus(context, id),
    (response) => !['PENDING', 'PROCESSING'].includes(statusOf(response) as string),
    growing,
  );

export const extracted = oncePerRun(async (context) => {
  const id = await document(context);
  const last = statusOf(await ended(context, id));
  return last === 'SUCCESS' ? id : skip(`the document ended as ${String(last)}`);
});

export async function assertStillSuccess(context: RunContext): Promise<void> {
  const response = await readStatus(context, await extracted(context));
  assertShape(response, statusOf(response), oneOf('SUCCESS'), 'status');
}

/** Uploads a further PDF and finds its task in the list. */
export async function uploadAnother(context: RunContext, name: string, pdf: Uint8Array) {
  const known = new Set(itemsOf(await list(context)).map(({ id }) => id));
  const files = pdfFile(context, `conform-${name}`, pdf);
  const response = await context.probe.post('/upload', { files, ...(await withSession(context)) });
  const listed = await list(context);
  return { response, listed, item: itemsOf(listed).find(({ id }) => !known.has(id)) };
}

export const empty = oncePerRun(async (context) => {
  const { response, item } = await uploadAnother(context, 'empty', blankPdf());
  if (response.status >= 400) return skip(`a blank page was rejected: POST /upload returned ${response.status}`);
  const id = item?.['id'];
  return typeof id === 'string' ? id : skip('the second document is not listed');
});

export const failed = oncePerRun(async (context) => {
  const id = await empty(context);
  const last = statusOf(await ended(context, id));
  return last === 'FAILED' || last === 'ERROR' ? id : skip(`the blank document ended as ${String(last)}`);
});

/** A session of another client, created by the upload of an image. */
export async function withOtherSession(context: RunContext): Promise<ProbeRequest> {
  const { cookie } = await uploadWithoutSession(context, '/api/v1/upload-images', [await imageFile(context)]);
  if (cookie === undefined) return skip('an upload of an image creates no session');
  return { token: await token(context), cookie, as: 'with the token and another session' };
}

function cookieOf({ headers }: Exchange): string | undefined {
  const line = headers.getSetCookie().find((one) => one.startsWith(`${COOKIE}=`));
  const value = line?.slice(COOKIE.length + 1).split(';')[0];
  return value ? `${COOKIE}=${value}` : undefined;
}
