import { byId, fill } from '../../../ui/browser/dom.ts';
import { Refused } from '../../../ui/browser/requests.ts';
import type { ListTexts } from './list-texts.ts';

export interface Rejected {
  readonly filename: string;
  readonly error: { readonly code: string; readonly message: string };
}

/** What one form may carry; more files go in more forms, one after another. */
const MOST_FILES = { upload: 20, 'api/v1/upload-images': 50 };
const MOST_BYTES = 180 * 1024 * 1024;
/** Refusals of what was sent; after any other one the next form would fare no better. */
const OF_FILES = [400, 413, 415];

/** Sends files and answers what was made of them, which `kept` picks from an answer, and which of them were not taken. */
export async function sendFiles<Body, Kept>(
  path: keyof typeof MOST_FILES,
  files: readonly File[],
  { kept, texts }: { kept: (body: Body) => readonly Kept[]; texts: ListTexts },
): Promise<{ taken: Kept[]; rejected: Rejected[] }> {
  const taken: Kept[] = [];
  const rejected: Rejected[] = [];
  for (const form of inForms(files, MOST_FILES[path])) {
    try {
      const body = await sendForm<Body>(path, form, texts);
      taken.push(...kept(body));
      rejected.push(...body.rejected);
    } catch (error) {
      if (!(error instanceof Refused) || !OF_FILES.includes(error.status)) throw error;
      // All of them were refused, as the first one was.
      const { code = '', message } = error;
      rejected.push(...form.map(({ name }) => ({ filename: name, error: { code, message } })));
    }
  }
  return { taken, rejected };
}

function inForms(files: readonly File[], mostFiles: number): File[][] {
  const forms: File[][] = [];
  let bytes = 0;
  for (const file of files) {
    const form = forms.at(-1);
    bytes += file.size;
    if (form !== undefined && form.length < mostFiles && bytes <= MOST_BYTES) {
      form.push(file);
    } else {
      forms.push([file]);
      bytes = file.size;
    }
  }
  return forms;
}

/** One form, and how much of it has left. By XMLHttpRequest, because `fetch` tells nobody. */
function sendForm<Body>(
  path: string,
  files: readonly File[],
  texts: ListTexts,
): Promise<Body & { rejected: Rejected[] }> {
  const form = new FormData();
  for (const file of files) form.append('files', file);
  const [bar, sent] = [byId<HTMLProgressElement>('sending'), byId('sent')];
  const request = new XMLHttpRequest();
  request.open('POST', path);
  request.setRequestHeader('accept', 'application/json');
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    bar.hidden = false;
    bar.value = total > 0 ? loaded / total : 0;
    sent.textContent = fill(texts.uploading, { share: Math.floor(bar.value * 100) });
  });
  return new Promise((resolve, reject) => {
    request.addEventListener('loadend', () => {
      bar.hidden = true;
      sent.textContent = '';
      const { status, responseText } = request;
      try {
        const body = JSON.parse(responseText) as Body & { rejected: Rejected[]; error?: Rejected['error'] };
        if (status < 300) resolve(body);
        else reject(new Refused(status, body.error?.message ?? `HTTP ${status}`, { code: body.error?.code }));
      } catch {
        // Nothing (`status` 0), or something between us and the service answered in its place.
        reject(new Refused(status, `HTTP ${status}`));
      }
    });
    request.send(form);
  });
}

/** What became of the files that were not taken. */
export const rejections = (rejected: readonly Rejected[], texts: ListTexts): string[] =>
  rejected.map(({ filename, error }) =>
    fill(texts.rejected, { name: filename, why: texts.refusals[error.code] ?? error.message }),
  );
