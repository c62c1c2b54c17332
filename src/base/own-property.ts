/** Own property lookup for untrusted names: ignores inherited ones such as `constructor`. */
export const getOwnProperty = <T>(object: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;
