import { createGate } from '../../../../ml/gate.ts';

/** Limits the number of images that a gateway decodes at the same time, to bound memory. */
export const inTurn = createGate(4);
