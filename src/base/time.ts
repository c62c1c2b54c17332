/** Whole Unix seconds as a decimal string, a time format of the API. */
export const unixSeconds = (at: Date): string => String(Math.floor(at.getTime() / 1000));
