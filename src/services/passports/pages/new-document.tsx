import { Word } from '../../csrf-word.tsx';
import type { ListTexts } from '../browser/list-texts.ts';

export function NewDocument({ words, csrf }: { words: ListTexts; csrf: string | undefined }): JSX.Element {
  return (
    <section class="panel new-document" aria-labelledby="upload-title">
      <h2 id="upload-title" safe>
        {words.upload}
      </h2>
      <p class="hint needs-script for-mouse" safe>
        {words.drop}
      </p>
      <form id="upload" class="ways" method="post" action="upload" enctype="multipart/form-data">
        <Word csrf={csrf} />
        <label class="button">
          <span safe>{words.choosePdf}</span>
          <input id="pdfs" type="file" name="files" accept="application/pdf,.pdf" multiple required />
        </label>
        <button type="submit" class="primary" safe>
          {words.send}
        </button>
        <label class="button needs-script">
          <span safe>{words.photos}</span>
          <input id="photos" type="file" accept="image/*,.heic,.heif,.tif,.tiff" multiple class="visually-hidden" />
        </label>
        <label class="button needs-script for-touch">
          <span safe>{words.camera}</span>
          <input id="camera" type="file" accept="image/*" class="visually-hidden" {...CAMERA} />
        </label>
      </form>
      <p id="sent" class="hint" role="status"></p>
      <progress id="sending" max="1" value="0" hidden aria-label={words.upload}></progress>
    </section>
  );
}

/** Missing in the JSX typings. */
const CAMERA = { capture: 'environment' };

/** Filled by the script. */
export function Assembly({ words }: { words: ListTexts }): JSX.Element {
  return (
    <section id="assembly" class="panel assembly" aria-labelledby="assembly-title" hidden>
      <div class="row">
        <h2 id="assembly-title" safe>
          {words.assembly}
        </h2>
        <button type="button" id="make" class="primary"></button>
      </div>
      <p class="hint" safe>
        {words.assemblyWhy}
      </p>
      <ol id="images" class="images"></ol>
      <template id="image">
        <li draggable="true">
          <img alt="" width="256" height="256" loading="lazy" />
          <p class="caption"></p>
          <div class="tools">
            <button type="button" class="small earlier" title={words.earlier} aria-label={words.earlier}>
              ←
            </button>
            <button type="button" class="small turn" title={words.turn} aria-label={words.turn}>
              ↻
            </button>
            <button type="button" class="small drop1" title={words.drop1} aria-label={words.drop1}>
              ×
            </button>
            <button type="button" class="small later" title={words.later} aria-label={words.later}>
              →
            </button>
          </div>
        </li>
      </template>
    </section>
  );
}
