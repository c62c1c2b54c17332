import { createGate } from '../../../../ml/gate.ts';

/** Limits the images that a gateway holds in memory. */
export const inTurn = createGate(4);
