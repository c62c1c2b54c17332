/**
 * The point where `lossAt` is least, found from `start` by L-BFGS (Nocedal 1980; Liu and Nocedal 1989) with a
 * backtracking line search. `lossAt` returns the loss at a point and writes its gradient into `gradient`. Ends when the
 * loss falls by less than `tolerance` of itself over three steps, or after `maxSteps`. On a few thousand images a memory
 * of 30 steps needs two thirds of the steps that the usual 10 need, and costs next to nothing beside the loss itself.
 */
export function minimise(
  start: Float64Array,
  lossAt: (point: Float64Array, gradient: Float64Array) => number,
  { maxSteps = 60, tolerance = 1e-4, memory = 30 } = {},
): Float64Array {
  let point = start.slice();
  let gradient = new Float64Array(point.length);
  let loss = lossAt(point, gradient);
  const past: Pair[] = [];
  const losses = [loss];

  for (let step = 0; step < maxSteps; step++) {
    const direction = descent(gradient, past);
    const slope = dot(direction, gradient);
    if (!(slope < 0)) break;
    // Without a memory of curvature the length of the gradient says nothing: the first step is a careful one.
    let length = past.length === 0 ? Math.min(1, 1 / Math.sqrt(-slope)) : 1;
    let next = point;
    let nextLoss = Number.POSITIVE_INFINITY;
    const nextGradient = new Float64Array(point.length);
    for (let halvings = 0; halvings < 20; halvings++, length /= 2) {
      next = point.map((value, i) => value + length * direction[i]!);
      nextLoss = lossAt(next, nextGradient);
      if (nextLoss <= loss + 1e-4 * length * slope) break;
    }
    if (!(nextLoss < loss)) break;

    const moved = next.map((value, i) => value - point[i]!);
    const turned = nextGradient.map((value, i) => value - gradient[i]!);
    const curvature = dot(moved, turned);
    // A pair without positive curvature would turn the next direction uphill.
    if (curvature > 1e-12) past.push({ moved, turned, curvature });
    if (past.length > memory) past.shift();
    [point, gradient, loss] = [next, nextGradient, nextLoss];
    losses.push(loss);
    const before = losses.at(-4);
    if (before !== undefined && before - loss < tolerance * Math.abs(loss)) break;
  }
  return point;
}

interface Pair {
  readonly moved: Float64Array;
  readonly turned: Float64Array;
  readonly curvature: number;
}

/** Minus the gradient, bent by what the last steps have shown of the curvature (the two-loop recursion). */
function descent(gradient: Float64Array, past: readonly Pair[]): Float64Array {
  const direction = gradient.map((value) => -value);
  const shares = new Array<number>(past.length).fill(0);
  for (let n = past.length - 1; n >= 0; n--) {
    const { moved, turned, curvature } = past[n]!;
    shares[n] = dot(moved, direction) / curvature;
    add(direction, -shares[n]!, turned);
  }
  const last = past.at(-1);
  if (last) {
    const scale = last.curvature / dot(last.turned, last.turned);
    for (let i = 0; i < direction.length; i++) direction[i]! *= scale;
  }
  for (const [n, { moved, turned, curvature }] of past.entries()) {
    add(direction, shares[n]! - dot(turned, direction) / curvature, moved);
  }
  return direction;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function add(to: Float64Array, factor: number, values: Float64Array): void {
  for (let i = 0; i < to.length; i++) to[i]! += factor * values[i]!;
}
