import { createGate } from '../../../../ml/gate.ts';

/** Images that a listener looks at take turns, their bytes with them: of however many are asked for at once, a few are in memory. */
export const inTurn = createGate(4);
