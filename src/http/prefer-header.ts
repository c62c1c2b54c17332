/** Seconds of `Prefer: wait=N`, at most `max`. Undefined if absent; ignores invalid preferences. */
export function preferredWait(prefer: string | undefined, max = 30): number | undefined {
  const seconds =
    prefer === undefined ? undefined : /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(prefer)?.[1];
  return seconds === undefined ? undefined : Math.min(Number(seconds), max);
}
