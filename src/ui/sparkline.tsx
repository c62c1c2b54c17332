const [WIDTH, HEIGHT] = [150, 32];
/** Of the line, so that neither its top nor its foot is cut. */
const MARGIN = 1;

/** A small line over time, its latest value at the right edge; `label` is what it says in words. */
export function Sparkline(chart: {
  /** The latest is last; from none to `room`. */
  values: readonly number[];
  /** How many fit: with fewer the line begins later. */
  room: number;
  label: string;
}): JSX.Element {
  const { values, room, label } = chart;
  const line = points(values, room);
  const [first] = line;
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      {first === undefined ? (
        ''
      ) : (
        <>
          <path class="area" d={`M${first[0]} ${HEIGHT}${line.map(([x, y]) => `L${x} ${y}`).join('')}V${HEIGHT}Z`} />
          <path class="line" d={`M${line.map(([x, y]) => `${x} ${y}`).join('L')}`} vector-effect="non-scaling-stroke" />
        </>
      )}
    </svg>
  );
}

/** From the foot, which is 0, to the top, which is the highest value there is; what lies on a level is left out. */
function points(values: readonly number[], room: number): [x: number, y: number][] {
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, room - 1);
  const rounded = (value: number) => Math.round(value * 10) / 10;
  return values.flatMap((value, i): [number, number][] => {
    if (i > 0 && values[i - 1] === value && values[i + 1] === value) return [];
    const x = WIDTH - (values.length - 1 - i) * step;
    return [[rounded(x), rounded(HEIGHT - MARGIN - (value / most) * (HEIGHT - 2 * MARGIN))]];
  });
}
