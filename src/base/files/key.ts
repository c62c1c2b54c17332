/** Whether this could ever be the key of a file: nothing else becomes part of a path. */
export const isFileKey = (key: string): boolean => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(key);

/**
 * Where the file of this key lies, in a folder as in a bucket. An id begins with its time; its end is random, so that is
 * what spreads the files evenly over 1024 folders.
 */
export const placeOf = (key: string): string => `${key.slice(-2)}/${key}`;

/** Whether a folder has the name of one of these. */
export const isFolderOfFiles = (name: string): boolean => /^[0-9A-HJKMNP-TV-Z]{2}$/.test(name);
