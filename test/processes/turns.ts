/** Something that only one may do at a time: acts run in the order they came in, whether those before them fail or not. */
export function turns(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const mine = last.then(act, act);
    last = mine;
    return mine;
  };
}
