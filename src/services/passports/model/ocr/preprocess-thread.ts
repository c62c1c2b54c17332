import { serveRequests } from '../../../../base/thread-requests.ts';
import { type Raster, toGrayscale } from './grayscale.ts';
import { type PreprocessedPage, preprocessPage } from './preprocess.ts';

serveRequests(
  (raster: Raster) => preprocessPage(toGrayscale(raster)),
  ({ images }: PreprocessedPage) => images.map(({ data }) => data.buffer as ArrayBuffer),
);
