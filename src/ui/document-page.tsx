/** A document page: its size in points and the clockwise rotation that makes it upright. */
export interface PageFrame {
  readonly width: number;
  readonly height: number;
  readonly turn: 0 | 90 | 180 | 270;
}

/** Left, top, right, bottom as shares (0..1) of the unrotated page. */
type Box = readonly [x0: number, y0: number, x1: number, y1: number];

/** Page and boxes share one transformation. `browser/boxes.ts` highlights boxes. */
export function DocumentPage(props: {
  frame: PageFrame;
  label: string;
  /** Shown until the image covers it; absent without an image. */
  loading?: string | undefined;
  address: string;
  boxes: readonly { readonly key: string; readonly bbox: Box }[];
  /** A script loads the image when it is near the viewport. */
  lazy?: boolean;
  /** The `data-fresh` key of the boxes, for a script that replaces them. */
  boxesKey?: string;
}): JSX.Element {
  const { frame, label, loading, address, boxes, lazy = false, boxesKey } = props;
  const isSideways = frame.turn % 180 === 90;
  const [width, height] = isSideways ? [frame.height, frame.width] : [frame.width, frame.height];
  return (
    <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      {loading !== undefined && (
        <g class="loading">
          <rect width="100%" height="100%" />
          {['10%', '50%', '90%'].map((y) => (
            <text x="50%" y={y} safe>
              {loading}
            </text>
          ))}
        </g>
      )}
      <g transform={upright(frame)}>
        <image
          {...(lazy ? { 'data-href': address } : { href: address })}
          width={frame.width}
          height={frame.height}
          preserveAspectRatio="none"
        />
        <g {...(boxesKey !== undefined && { 'data-fresh': boxesKey })}>
          {boxes.map(({ key, bbox }) => (
            <rect class="box" data-key={key} {...boxAttributes(bbox, frame)} />
          ))}
        </g>
      </g>
    </svg>
  );
}

/** Rotates the page about its corner and moves it back into view. */
function upright({ width, height, turn }: PageFrame): string {
  const [x, y] = { 0: [0, 0], 90: [height, 0], 180: [width, height], 270: [0, width] }[turn] as [number, number];
  return `translate(${x} ${y}) rotate(${turn})`;
}

/** Adds a margin around the text. */
function boxAttributes([x0, y0, x1, y1]: Box, { width, height }: PageFrame) {
  const margin = 2;
  const points = (value: number) => value.toFixed(1);
  return {
    x: points(x0 * width - margin),
    y: points(y0 * height - margin),
    width: points((x1 - x0) * width + 2 * margin),
    height: points((y1 - y0) * height + 2 * margin),
    rx: '2',
  };
}
