/** How many samples a second everything here hears: what the networks of speech were trained with. */
export const SAMPLE_RATE = 16_000;

/** The samples that the speech detector judges at a time: 32 ms. */
export const FRAME_SAMPLES = 512;

/** How many whole frames there are in so many seconds. */
export const framesIn = (seconds: number): number => Math.floor((seconds * SAMPLE_RATE) / FRAME_SAMPLES);
