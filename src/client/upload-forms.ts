import { type Bytes, fileNameOf, toBlob } from './bytes.ts';

export type NamedFile = Bytes | { readonly name: string; readonly data: Bytes };

export function formOf(files: readonly { readonly name: string; readonly data: Blob }[]): FormData {
  const form = new FormData();
  for (const { name, data } of files) form.append('files', data, name);
  return form;
}

/** `fallbackName` is that of bytes without a name. */
export function namedFiles(
  files: NamedFile | readonly NamedFile[],
  fallbackName: string,
): { name: string; data: Blob }[] {
  return (Array.isArray(files) ? (files as readonly NamedFile[]) : [files as NamedFile]).map((file) =>
    'data' in file
      ? { name: file.name, data: toBlob(file.data) }
      : { name: fileNameOf(file) ?? fallbackName, data: toBlob(file) },
  );
}

/** Of one request; the service accepts 200 MiB with the headers of the parts. */
const IMAGE_REQUEST = { maxFiles: 50, maxBytes: 199 * 1024 * 1024 };

/** The files of each request, in order. */
export function splitImages<Image extends { readonly data: Blob }>(images: readonly Image[]): Image[][] {
  const requests: Image[][] = [[]];
  let bytes = 0;
  for (const image of images) {
    const request = requests.at(-1)!;
    bytes += image.data.size;
    if (request.length === 0 || (request.length < IMAGE_REQUEST.maxFiles && bytes <= IMAGE_REQUEST.maxBytes)) {
      request.push(image);
    } else {
      requests.push([image]);
      bytes = image.data.size;
    }
  }
  return requests;
}
