import { parseUrl } from '../../base/parse-url.ts';

/**
 * The decoded last path segment of a file URL. Undefined if it is empty, or if the file is stored here under a
 * generated key.
 */
export function fileNameFromUrl(address: string, filesHost: string | undefined): string | undefined {
  const url = parseUrl(address);
  if (!url || url.hostname === filesHost) return undefined;
  const last = url.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last).trim() || undefined;
  } catch {
    // Invalid percent-encoding.
    return last;
  }
}

/** The key of a file stored here; undefined for any other URL. */
export function fileKeyFromUrl(address: string, filesHost: string | undefined): string | undefined {
  if (filesHost === undefined) return undefined;
  const url = parseUrl(address);
  return url?.hostname === filesHost ? url.pathname.slice(1) : undefined;
}
