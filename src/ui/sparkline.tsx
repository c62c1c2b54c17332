const [WIDTH, HEIGHT] = [150, 32];
/** The line width, so that extremes are not clipped. */
const MARGIN = 1;

export function Sparkline(chart: {
  /** At most `room` values, the latest last. */
  values: readonly number[];
  /** The capacity of the chart; with fewer values the line starts later. */
  room: number;
  label: string;
}): JSX.Element {
  const { values, room, label } = chart;
  const line = points(values, room);
  const [first] = line;
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      {first !== undefined && (
        <>
          <path class="area" d={`M${first[0]} ${HEIGHT}${line.map(([x, y]) => `L${x} ${y}`).join('')}V${HEIGHT}Z`} />
          <path class="line" d={`M${line.map(([x, y]) => `${x} ${y}`).join('L')}`} vector-effect="non-scaling-stroke" />
        </>
      )}
    </svg>
  );
}

/** From 0 at the bottom to the maximum at the top. Omits the inner points of horizontal lines. */
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
