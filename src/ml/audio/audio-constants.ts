/** Sample rate in Hz that the speech models were trained with. */
export const SAMPLE_RATE = 16_000;

/** Floating-point samples that are not smaller are errors and become 0; the range above ±1 is clipped. */
export const MAX_SAMPLE = 65_536;

/** Samples per frame of the speech detector: 32 ms. */
export const FRAME_SAMPLES = 512;

export const secondsToFrames = (seconds: number): number => Math.floor((seconds * SAMPLE_RATE) / FRAME_SAMPLES);
