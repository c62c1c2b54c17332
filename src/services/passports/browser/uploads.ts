import type { DocumentRejected } from '../../../client/wire/passports.ts';
import { byId, fill } from '../../../ui/browser/dom.ts';
import { readGroupingInputs, requireValidTags } from '../../../ui/browser/grouping.ts';
import { RequestError, readAnswer } from '../../../ui/browser/requests.ts';
import type { ListTexts } from './list-texts.ts';

/** Limits of one request; more files are sent in several requests. */
const MAX_FILES = { upload: 20, 'api/v1/upload-images': 50 };
const MAX_BYTES = 180 * 1024 * 1024;
/** Status codes that concern the files; other errors stop the upload. */
const FILE_ERROR_STATUSES = [400, 413, 415];

/** Returns the accepted items, which `itemsOf` reads from a response body, and the rejected files. */
export async function sendFiles<Body, Item>(
  path: keyof typeof MAX_FILES,
  files: readonly File[],
  { itemsOf, texts }: { itemsOf: (body: Body) => readonly Item[]; texts: ListTexts },
): Promise<{ accepted: Item[]; rejected: DocumentRejected[] }> {
  const accepted: Item[] = [];
  const rejected: DocumentRejected[] = [];
  for (const form of splitIntoForms(files, MAX_FILES[path])) {
    try {
      const body = await sendForm<Body>(path, form, texts);
      accepted.push(...itemsOf(body));
      rejected.push(...body.rejected);
    } catch (error) {
      if (!(error instanceof RequestError) || !FILE_ERROR_STATUSES.includes(error.status)) throw error;
      // The response rejects all files of the request.
      const { code = '', message } = error;
      rejected.push(...form.map(({ name }) => ({ filename: name, error: { code, message } })));
    }
  }
  return { accepted, rejected };
}

function splitIntoForms(files: readonly File[], maxFiles: number): File[][] {
  const forms: File[][] = [];
  let bytes = 0;
  for (const file of files) {
    const form = forms.at(-1);
    bytes += file.size;
    if (form !== undefined && form.length < maxFiles && bytes <= MAX_BYTES) {
      form.push(file);
    } else {
      forms.push([file]);
      bytes = file.size;
    }
  }
  return forms;
}

/** Uses XMLHttpRequest because `fetch` reports no upload progress. */
async function sendForm<Body>(
  path: string,
  files: readonly File[],
  texts: ListTexts,
): Promise<Body & { rejected: DocumentRejected[] }> {
  requireValidTags();
  const form = new FormData();
  const { project, tags = [] } = readGroupingInputs();
  if (project !== undefined) form.append('project', project);
  for (const tag of tags) form.append('tag', tag);
  for (const file of files) form.append('files', file);
  const [bar, status] = [byId<HTMLProgressElement>('upload-progress'), byId('upload-status')];
  const request = new XMLHttpRequest();
  request.open('POST', path);
  request.setRequestHeader('accept', 'application/json');
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    bar.hidden = false;
    bar.value = total > 0 ? loaded / total : 0;
    status.textContent = fill(texts.uploading, { share: Math.floor(bar.value * 100) });
  });
  const ended = new Promise((resolve) => request.addEventListener('loadend', resolve));
  request.send(form);
  await ended;
  bar.hidden = true;
  status.textContent = '';
  return readAnswer(request.status, request.responseText, request.getResponseHeader('retry-after'));
}

export const rejections = (rejected: readonly DocumentRejected[], texts: ListTexts): string[] =>
  rejected.map(({ filename, error }) =>
    fill(texts.rejected, { name: filename, why: texts.refusals[error.code] ?? error.message }),
  );
