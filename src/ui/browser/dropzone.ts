import { byId, el } from './dom.ts';
import { pageData } from './page-data.ts';

/** From file inputs, drag and drop anywhere on the page, and the clipboard. */
export function listenForFiles({
  inputs,
  onFiles,
  onDrop = refuseFolders(onFiles),
}: {
  inputs: readonly string[];
  onFiles: (files: File[]) => void;
  /** Also of a paste; for pages that read folders. */
  onDrop?: (dropped: DataTransfer) => void;
}): void {
  for (const id of inputs) {
    const input = byId<HTMLInputElement>(id);
    input.addEventListener('change', () => {
      if (input.files && input.files.length > 0) onFiles([...input.files]);
      // Allows choosing the same file again.
      input.value = '';
    });
  }

  addEventListener('paste', ({ clipboardData }) => {
    if (clipboardData?.types.includes('Files')) onDrop(clipboardData);
  });

  // Prevents the browser from opening a dropped file.
  addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    document.body.dataset['dragging'] = 'true';
  });
  addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) delete document.body.dataset['dragging'];
  });
  addEventListener('drop', (event) => {
    delete document.body.dataset['dragging'];
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    onDrop(event.dataTransfer);
  });
}

/** Browsers list a folder as a file that cannot be read. */
const refuseFolders =
  (onFiles: (files: File[]) => void) =>
  ({ items, files }: DataTransfer): void => {
    const hasFolder = [...items].some((item) => item.webkitGetAsEntry()?.isDirectory);
    if (!hasFolder) {
      if (files.length > 0) onFiles([...files]);
      return;
    }
    const { folder } = pageData().ui;
    const box = byId('error');
    box.replaceChildren(`${folder.why} `, el('a', { href: 'batch' }, folder.link));
    box.hidden = false;
    box.scrollIntoView({ block: 'nearest' });
  };
