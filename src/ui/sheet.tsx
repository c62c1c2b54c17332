/** A page of a document: its size in points as its picture shows it, and how far it must be turned clockwise to stand upright. */
export interface SheetFrame {
  readonly width: number;
  readonly height: number;
  readonly turn: 0 | 90 | 180 | 270;
}

/** Left, top, right, bottom as shares (0..1) of the page as its picture shows it. */
type Box = readonly [x0: number, y0: number, x1: number, y1: number];

/**
 * A page with a box for every value that was read from it. Everything is in points of the page, and one transformation
 * sets page and boxes upright together. `browser/boxes.ts` lights the box of a value.
 */
export function Sheet(given: {
  sheet: SheetFrame;
  label: string;
  address: string;
  boxes: readonly { readonly key: string; readonly bbox: Box }[];
  /** The picture comes when a script finds that somebody is near. */
  later?: boolean;
  /** Names the group of boxes, for a script that exchanges them. */
  fresh?: string;
}): JSX.Element {
  const { sheet, label, address, boxes, later = false, fresh } = given;
  const across = sheet.turn % 180 === 90;
  const [width, height] = across ? [sheet.height, sheet.width] : [sheet.width, sheet.height];
  return (
    <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <g transform={upright(sheet)}>
        <image
          {...(later ? { 'data-href': address } : { href: address })}
          width={sheet.width}
          height={sheet.height}
          preserveAspectRatio="none"
        />
        <g {...(fresh !== undefined && { 'data-fresh': fresh })}>
          {boxes.map(({ key, bbox }) => (
            <rect class="box" data-key={key} {...placed(bbox, sheet)} />
          ))}
        </g>
      </g>
    </svg>
  );
}

/** Turns the page about its corner and moves it back into sight. */
function upright({ width, height, turn }: SheetFrame): string {
  const [x, y] = { 0: [0, 0], 90: [height, 0], 180: [width, height], 270: [0, width] }[turn] as [number, number];
  return `translate(${x} ${y}) rotate(${turn})`;
}

/** A little more than the words, so that the frame does not cross them. */
function placed([x0, y0, x1, y1]: Box, { width, height }: SheetFrame) {
  const room = 2;
  const points = (value: number) => value.toFixed(1);
  return {
    x: points(x0 * width - room),
    y: points(y0 * height - room),
    width: points((x1 - x0) * width + 2 * room),
    height: points((y1 - y0) * height + 2 * room),
    rx: '2',
  };
}
