type Undefinable<T> = { [Name in keyof T]-?: undefined extends T[Name] ? Name : never }[keyof T];

/** The type of an object without the properties that are undefined. */
type Defined<T> = Omit<T, Undefinable<T>> & { [Name in Undefinable<T>]?: Exclude<T[Name], undefined> };

export const omitUndefined = <T extends object>(object: T): Defined<T> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;
