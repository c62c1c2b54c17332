import { byId, fill } from '../../../ui/browser/dom.ts';
import type { ListTexts } from './list-texts.ts';
import { Refused } from './requests.ts';

export interface Rejected {
  readonly filename: string;
  readonly error: { readonly code: string; readonly message: string };
}

/** Sends files as one form and shows how much has left. By XMLHttpRequest, because `fetch` tells nobody. */
export function sendFiles<T>(
  path: string,
  files: readonly File[],
  texts: ListTexts,
): Promise<T & { rejected: Rejected[] }> {
  const form = new FormData();
  for (const file of files) form.append('files', file);
  const [bar, sent] = [byId<HTMLProgressElement>('sending'), byId('sent')];
  const request = new XMLHttpRequest();
  request.open('POST', path);
  request.setRequestHeader('accept', 'application/json');
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    bar.hidden = false;
    bar.value = total > 0 ? loaded / total : 0;
    sent.textContent = fill(texts.uploading, { share: `${Math.floor(bar.value * 100)} %` });
  });
  return new Promise((resolve, reject) => {
    request.addEventListener('loadend', () => {
      bar.hidden = true;
      sent.textContent = '';
    });
    request.addEventListener('error', () => reject(new Refused(0, '')));
    request.addEventListener('load', () => {
      const { status, responseText } = request;
      try {
        const body = JSON.parse(responseText) as T & { rejected: Rejected[]; error?: Rejected['error'] };
        if (status < 300) resolve(body);
        else reject(new Refused(status, body.error?.message ?? `HTTP ${status}`, { code: body.error?.code }));
      } catch {
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
