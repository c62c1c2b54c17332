/** Fewer photos do not show how a domain differs. */
export const MIN_TRAINING = 20;
/** Fewer photos cannot compare two versions. */
export const MIN_HELD_BACK = 5;
