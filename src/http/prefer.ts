/**
 * The seconds a client asks us to wait for news (`Prefer: wait=N`), at most `max`; `undefined` when it does not ask. A
 * preference is only a wish: what is not understood is passed over and never an error.
 */
export function preferredWait(prefer: string | undefined, max = 30): number | undefined {
  const seconds =
    prefer === undefined ? undefined : /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(prefer)?.[1];
  return seconds === undefined ? undefined : Math.min(Number(seconds), max);
}
