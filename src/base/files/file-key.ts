/** Whether the key is valid: only valid keys become part of a path. */
export const isFileKey = (key: string): boolean => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(key);

/** Relative path of a file in a folder or bucket. The random end of the key spreads files evenly over 1024 folders. */
export const keyToPath = (key: string): string => `${key.slice(-2)}/${key}`;

export const isKeyFolder = (name: string): boolean => /^[0-9A-HJKMNP-TV-Z]{2}$/.test(name);

const CHARACTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** All folders that `keyToPath` returns. */
export const keyFolders = (): string[] => [...CHARACTERS].flatMap((a) => [...CHARACTERS].map((b) => a + b));

/** When the key was created, at the start of its upload, in milliseconds since 1970. */
export const keyTime = (key: string): number =>
  [...key.slice(0, 10)].reduce((time, character) => 32 * time + CHARACTERS.indexOf(character), 0);
