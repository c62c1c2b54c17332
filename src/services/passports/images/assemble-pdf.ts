import { exifOrientation } from '../../../ml/exif-orientation.ts';
import { projectPoint, quarterTurn, type Turn } from '../page-geometry.ts';
import { withImagePermit } from './image-semaphore.ts';
import { encodePdfImage } from './pdf-image.ts';

/** `rotation` is clockwise, after the EXIF orientation. */
export interface PageImage {
  readonly read: () => Promise<Buffer>;
  readonly rotation: Turn;
}

/** Yields a PDF with one A4 page per image; the same input gives the same bytes. Throws `PhotoRejected`. */
export async function* assemblePdf(sheets: readonly PageImage[]): AsyncGenerator<Buffer, void, undefined> {
  const offsets: number[] = [];
  let length = 0;
  const counted = (piece: Buffer | string) => {
    const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece;
    length += bytes.length;
    return bytes;
  };
  const object = (id: number, body: string) => {
    offsets[id] = length;
    return counted(`${id} 0 obj\n${body}\nendobj\n`);
  };
  // Marks the file as binary.
  yield counted('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n');
  yield object(1, '<< /Type /Catalog /Pages 2 0 R >>');
  const kids = sheets.map((_, index) => `${pageNumber(index)} 0 R`).join(' ');
  yield object(2, `<< /Type /Pages /Count ${sheets.length} /Kids [${kids}] >>`);
  for (const [index, { read, rotation }] of sheets.entries()) {
    const image = await withImagePermit(async () => encodePdfImage(await read()));
    const { size, matrix } = placeImage(image, rotation);
    const [page, content, picture] = [pageNumber(index), pageNumber(index) + 1, pageNumber(index) + 2];
    const drawing = `q ${matrix.map(formatNumber).join(' ')} cm /Im Do Q`;
    yield object(
      page,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size.map(formatNumber).join(' ')}] /Contents ${content} 0 R ` +
        `/Resources << /XObject << /Im ${picture} 0 R >> >> >>`,
    );
    yield object(content, `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`);
    offsets[picture] = length;
    const bytes = image.chunks.reduce((sum, piece) => sum + piece.length, 0);
    const { width, height, dictionaryEntries } = image;
    yield counted(
      `${picture} 0 obj\n<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} ${dictionaryEntries} ` +
        `/Length ${bytes} >>\nstream\n`,
    );
    for (const piece of image.chunks) yield counted(piece);
    yield counted('\nendstream\nendobj\n');
  }
  const table = length;
  const rows = offsets.slice(1).map((at) => `${String(at).padStart(10, '0')} 00000 n \n`);
  yield counted(
    `xref\n0 ${rows.length + 1}\n0000000000 65535 f \n${rows.join('')}` +
      `trailer\n<< /Size ${rows.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`,
  );
}

const pageNumber = (index: number) => 3 + 3 * index;

// Points.
const A4 = [595.28, 841.89] as const;

/** The matrix maps the unit square of the image to the centre of the page. */
function placeImage(image: { width: number; height: number; orientation: number }, rotation: Turn) {
  const { isMirrored, turn } = exifOrientation(image.orientation);
  const toPage = quarterTurn(((720 - turn - rotation) % 360) as Turn, { width: 1, height: 1 });
  const swapsSides = (turn + rotation) % 180 !== 0;
  const [wide, high] = swapsSides ? [image.height, image.width] : [image.width, image.height];
  const [pageWidth, pageHeight] = wide > high ? [A4[1], A4[0]] : A4;
  const scale = Math.min(pageWidth / wide, pageHeight / high);
  const [left, bottom] = [(pageWidth - wide * scale) / 2, (pageHeight - high * scale) / 2];
  // The y axis points up in a PDF and down in an image.
  const at = (x: number, y: number): [number, number] => {
    const [u, v] = projectPoint(toPage, isMirrored ? 1 - x : x, 1 - y);
    return [left + u * wide * scale, bottom + (1 - v) * high * scale];
  };
  const [[e, f], [ax, ay], [cx, cy]] = [at(0, 0), at(1, 0), at(0, 1)];
  return { size: [pageWidth, pageHeight], matrix: [ax - e, ay - f, cx - e, cy - f, e, f] };
}

/** PDF allows no exponents; rounding makes the output identical on all machines. */
const formatNumber = (value: number) => String(Math.round(value * 1000) / 1000 + 0);
