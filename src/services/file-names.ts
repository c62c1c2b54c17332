/**
 * The name that a person would know a file by: the last part of its address, in plain letters. Undefined where it has
 * none, and for a file of our own, whose name is only its key.
 */
export function fileNameOf(address: string, filesHost: string | undefined): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { hostname, pathname } = new URL(address);
  if (hostname === filesHost) return undefined;
  const last = pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last).trim() || undefined;
  } catch {
    // A stray percent sign: then that is its name.
    return last;
  }
}

/** The key of a file of our own; undefined for an address of somebody else's. */
export function fileKeyOf(address: string, filesHost: string | undefined): string | undefined {
  if (filesHost === undefined || !URL.canParse(address)) return undefined;
  const { hostname, pathname } = new URL(address);
  return hostname === filesHost ? pathname.slice(1) : undefined;
}
