/** Counts the bytes of uploads that are arriving at this gateway: they use the quota of their credential before they are stored. */
export function createUploadsInProgress() {
  const total = new Map<string, number>();
  const add = (principal: string, bytes: number) => {
    const sum = (total.get(principal) ?? 0) + bytes;
    if (sum > 0) total.set(principal, sum);
    else total.delete(principal);
  };
  return {
    /** Counts an upload of at most `bytes` until `work` ends, which gets the bytes of the credential's other uploads. */
    async during<Result>(
      { principal, bytes }: { readonly principal: string; readonly bytes: number },
      work: (otherBytes: number) => Promise<Result>,
    ): Promise<Result> {
      const others = total.get(principal) ?? 0;
      add(principal, bytes);
      try {
        return await work(others);
      } finally {
        add(principal, -bytes);
      }
    },
  };
}
