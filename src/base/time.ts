/** Whole Unix seconds as a decimal string, the time format of defectoscopy and stt. */
export const unixSeconds = (at: Date): string => String(Math.floor(at.getTime() / 1000));
