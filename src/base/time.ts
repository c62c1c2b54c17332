/** A moment as A and B write it: whole Unix seconds, as a decimal string. */
export const unixSeconds = (at: Date): string => String(Math.floor(at.getTime() / 1000));
