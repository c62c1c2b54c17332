import { parsedUrl } from '../base/parsed-url.ts';

/**
 * The name that a person would know a file by: the last part of its address, in plain letters. Undefined where it has
 * none, and for a file of our own, whose name is only its key.
 */
export function fileNameOf(address: string, filesHost: string | undefined): string | undefined {
  const url = parsedUrl(address);
  if (!url || url.hostname === filesHost) return undefined;
  const last = url.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last).trim() || undefined;
  } catch {
    // A stray percent sign: then that is its name.
    return last;
  }
}

/** The key of a file of our own; undefined for an address of somebody else's. */
export function fileKeyOf(address: string, filesHost: string | undefined): string | undefined {
  if (filesHost === undefined) return undefined;
  const url = parsedUrl(address);
  return url?.hostname === filesHost ? url.pathname.slice(1) : undefined;
}
