import { GroupingInputs } from '../../../ui/grouping-inputs.tsx';
import { Button, H2, P } from '../../../ui/text-elements.tsx';
import { CsrfInput } from '../../shared/csrf-input.tsx';
import type { ListTexts } from '../browser/list-texts.ts';

export function NewDocument({ texts, csrf }: { texts: ListTexts; csrf: string | undefined }): JSX.Element {
  return (
    <section class="panel new-document" aria-labelledby="upload-title">
      <H2 id="upload-title" text={texts.upload} />
      <P class="hint needs-script for-mouse" text={texts.drop} />
      <form id="upload" class="file-buttons" method="post" action="upload" enctype="multipart/form-data">
        <CsrfInput csrf={csrf} />
        {/* Before the files, of which the server may read only a part. */}
        <GroupingInputs words={texts.grouping} />
        <label class="button">
          <span safe>{texts.choosePdf}</span>
          <input id="pdfs" type="file" name="files" accept="application/pdf,.pdf" multiple required />
        </label>
        <Button type="submit" class="primary" text={texts.send} />
        <label class="button needs-script">
          <span safe>{texts.photos}</span>
          <input id="photos" type="file" accept="image/*,.heic,.heif,.tif,.tiff" multiple class="visually-hidden" />
        </label>
        <label class="button needs-script for-touch">
          <span safe>{texts.camera}</span>
          <input id="camera" type="file" accept="image/*" class="visually-hidden" {...CAMERA} />
        </label>
      </form>
      <p id="upload-status" class="hint" role="status"></p>
      <progress id="upload-progress" max="1" value="0" hidden aria-label={texts.upload}></progress>
    </section>
  );
}

/** Missing in the JSX typings. */
const CAMERA = { capture: 'environment' };

/** Filled by the script. */
export function PageOrder({ texts }: { texts: ListTexts }): JSX.Element {
  return (
    <section id="page-order" class="panel page-order" aria-labelledby="page-order-title" hidden>
      <div class="row">
        <H2 id="page-order-title" text={texts.pageOrder} />
        <button type="button" id="create-document" class="primary"></button>
      </div>
      <P class="hint" text={texts.pageOrderHint} />
      <ol id="page-images" class="images"></ol>
      <template id="page-image">
        <li draggable="true">
          {/* Chromium drags neither an image that is not loaded nor its parent. */}
          <img alt="" width="256" height="256" loading="lazy" draggable="false" />
          <p class="caption"></p>
          <div class="tools">
            <button type="button" class="small earlier" title={texts.earlier} aria-label={texts.earlier}>
              ←
            </button>
            <button type="button" class="small turn" title={texts.turn} aria-label={texts.turn}>
              ↻
            </button>
            <button type="button" class="small remove" title={texts.removePage} aria-label={texts.removePage}>
              ×
            </button>
            <button type="button" class="small later" title={texts.later} aria-label={texts.later}>
              →
            </button>
          </div>
        </li>
      </template>
    </section>
  );
}
