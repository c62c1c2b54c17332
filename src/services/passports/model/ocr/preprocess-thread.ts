import { serveRequests } from '../../../../base/thread-requests.ts';
import { type Raster, toGrayscale } from './grayscale.ts';
import { type PreprocessedPage, preprocessPage } from './preprocess.ts';

serveRequests(
  (raster: Raster) => preprocessPage(toGrayscale(raster)),
  ({ lines }: PreprocessedPage) => lines.map(({ image }) => image.data.buffer as ArrayBuffer),
);
