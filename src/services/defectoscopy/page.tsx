import type { Gateway } from '../../http/gateway.ts';
import { DropZone, PhotoIcon } from '../../ui/drop.tsx';
import { PictureFrame } from '../../ui/picture-frame.tsx';
import { classNames } from '../class-names.ts';
import { type ErrandNeeds, errandPage, Note } from '../errand-page.tsx';
import { failureTexts } from '../failure-texts.ts';
import { type PhotoTexts, texts } from './browser/texts.ts';

export const pageRoutes = (app: Gateway, deps: ErrandNeeds): void =>
  errandPage<PhotoTexts>(
    app,
    {
      service: 'defectoscopy',
      example: 'examples/wall.jpg',
      styles: ['ui/picture.css', 'services/defectoscopy/browser/photo.css'],
      script: 'services/defectoscopy/browser/photo-page.js',
      words: (language) => ({
        ...texts[language],
        classes: classNames[language],
        failures: failureTexts.defectoscopy[language],
      }),
      drop: ({ words, example }) => (
        <DropZone
          words={words.drop}
          accept="image/*,.heic,.heif,.tif,.tiff"
          icon={<PhotoIcon />}
          camera
          example={example}
        />
      ),
      below: () => <Note />,
      beside: (words) => (
        <PictureFrame words={words.map} hidden>
          <img id="photo" alt="" />
        </PictureFrame>
      ),
    },
    deps,
  );
