import pLimit from 'p-limit';

/** Lends each item to one task at a time; tasks wait in FIFO order. */
export function createPool<Item>(items: readonly Item[]): <T>(use: (item: Item) => T | Promise<T>) => Promise<T> {
  const idle = [...items];
  const limit = pLimit(items.length);
  return (use) =>
    limit(async () => {
      const item = idle.pop()!;
      try {
        return await use(item);
      } finally {
        idle.push(item);
      }
    });
}
