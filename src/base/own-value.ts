/** What `object` itself has by this name, which may be a stranger's: not what every object inherits, as `constructor`. */
export const ownValue = <T>(object: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;
