import type { Gateway } from '../../../http/gateway.ts';
import { DropZone, PhotoIcon } from '../../../ui/dropzone.tsx';
import { PictureFrame } from '../../../ui/picture-frame.tsx';
import { classNames } from '../../shared/class-names.ts';
import { Note, type UploadPageDeps, uploadPage } from '../../shared/upload-page.tsx';
import { type PhotoTexts, texts } from '../browser/texts.ts';
import { failureTexts } from '../failures.ts';

export const pageRoutes = (app: Gateway, deps: UploadPageDeps): void =>
  uploadPage<PhotoTexts>(
    app,
    {
      service: 'defectoscopy',
      example: 'examples/wall.jpg',
      styles: ['ui/picture.css', 'services/defectoscopy/browser/photo.css'],
      script: 'services/defectoscopy/browser/photo-page.js',
      texts: (language) => ({
        ...texts[language],
        classes: classNames[language],
        failures: failureTexts[language],
      }),
      dropZone: ({ words, example }) => (
        <DropZone
          words={words.drop}
          accept="image/*,.heic,.heif,.tif,.tiff"
          icon={<PhotoIcon />}
          camera
          example={example}
        />
      ),
      belowSteps: () => <Note />,
      besideResult: (words) => (
        <PictureFrame words={words.map} hidden>
          <img id="photo" alt="" />
        </PictureFrame>
      ),
    },
    deps,
  );
