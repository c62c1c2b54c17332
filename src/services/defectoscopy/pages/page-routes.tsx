import type { Gateway } from '../../../http/gateway.ts';
import { DropZone, PhotoIcon } from '../../../ui/dropzone.tsx';
import { GroupingInputs } from '../../../ui/grouping-inputs.tsx';
import { PictureFrame } from '../../../ui/picture-frame.tsx';
import { A } from '../../../ui/text-elements.tsx';
import { classNames } from '../../shared/class-names.ts';
import { Note, type UploadPageDeps, uploadPage } from '../../shared/upload-page.tsx';
import { type PhotoTexts, texts } from '../browser/texts.ts';
import { failureTexts, PERMANENT_ERRORS } from '../failures.ts';
import { modelsPage } from './models-page.tsx';

export function pageRoutes(app: Gateway, deps: UploadPageDeps): void {
  modelsPage(app, deps);
  uploadPage<PhotoTexts>(
    app,
    {
      service: 'defectoscopy',
      example: 'examples/wall.jpg',
      styles: ['ui/picture.css', 'services/defectoscopy/browser/photo.css'],
      typePrefixes: ['image/'],
      permanentErrors: PERMANENT_ERRORS,
      script: 'services/defectoscopy/browser/photo-page.js',
      texts: (language) => ({
        ...texts[language],
        classes: classNames[language],
        failures: failureTexts[language],
      }),
      nav: (words) => <A href="model-versions" text={words.models} />,
      dropZone: ({ words, example }) => (
        <DropZone
          words={words.drop}
          accept="image/*,.heic,.heif,.tif,.tiff"
          icon={<PhotoIcon />}
          camera
          example={example}
        >
          <GroupingInputs words={words.grouping} />
        </DropZone>
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
}
