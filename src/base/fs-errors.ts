/** A `catch` handler that ignores file system errors with these codes and rethrows others. */
export const ignoreErrors =
  (...codes: string[]) =>
  (error: NodeJS.ErrnoException): undefined => {
    if (!codes.includes(error.code ?? '')) throw error;
  };

export const ifMissing = ignoreErrors('ENOENT');
export const ifExists = ignoreErrors('EEXIST');

/** Whether the operation succeeds. */
export const succeeds = (operation: Promise<unknown>): Promise<boolean> =>
  operation.then(
    () => true,
    () => false,
  );
