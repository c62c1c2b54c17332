import type { UploadTexts } from './browser/upload-texts.ts';
import { Button, Span } from './text-elements.tsx';

export const PhotoIcon = (): JSX.Element => (
  <>
    <rect x="5" y="9" width="38" height="30" rx="5" />
    <circle cx="16" cy="19" r="3.5" />
    <path d="m6 34 11-9 8 7 8-10 9 10" />
  </>
);

export const AudioIcon = (): JSX.Element => <path d="M6 20v8M12 14v20M18 8v32M24 17v14M30 11v26M36 18v12M42 21v6" />;

/** Missing in the JSX typings. */
const CAMERA = { capture: 'environment' };

/**
 * A file input in a label, which is a button on every device; its script is `browser/dropzone.ts`. The script adds the
 * class `slim` after the first file.
 */
export function DropZone(page: {
  words: Pick<UploadTexts['drop'], 'title' | 'tap' | 'or' | 'choose'> & Partial<UploadTexts['drop']>;
  accept?: string;
  /** A drawing of 48 × 48. */
  icon: JSX.Element;
  /** Otherwise the script shows them. */
  limits?: string | undefined;
  camera?: boolean;
  example?: boolean;
  children?: JSX.Element;
}): JSX.Element {
  const { words, accept, icon, limits = '', camera, example } = page;
  return (
    <section id="drop-zone" class="drop-zone" aria-label={words.title}>
      <label class="drop-area">
        <input id="file" type="file" accept={accept} multiple class="visually-hidden" />
        <svg viewBox="0 0 48 48" width="48" height="48" aria-hidden="true">
          {icon}
        </svg>
        <span id="drop-zone-title" class="title">
          <Span class="for-mouse" text={words.title} />
          <Span class="for-touch" text={words.tap} />
        </span>
        <span class="or-choose for-mouse">
          <span safe>{words.or}</span> <u safe>{words.choose}</u>
        </span>
        <Span id="limits" class="hint" text={limits} />
      </label>
      <div class="file-buttons">
        {camera && (
          <label class="button camera">
            {/* A separate input: `capture` disables the choice of stored photos. */}
            <input id="camera" type="file" accept="image/*" class="visually-hidden" {...CAMERA} />
            <span safe>{words.camera ?? ''}</span>
          </label>
        )}
        {page.children ?? ''}
        {example && <Button type="button" id="example" text={words.example ?? ''} />}
      </div>
    </section>
  );
}
