/** Probability that a value of `high` exceeds a value of `low`; ties count half. */
export function auroc(high, low) {
  let wins = 0;
  for (const a of high) for (const b of low) wins += a > b ? 1 : a === b ? 0.5 : 0;
  return wins / high.length / low.length;
}
