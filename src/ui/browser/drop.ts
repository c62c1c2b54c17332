import { byId } from './dom.ts';

/**
 * One way in for files, however they come: chosen with the file dialog (mouse, keyboard or camera), dropped anywhere on
 * the page, or pasted. The zone is a label around a file input, so the browser makes it a button.
 */
export function openDrop({ inputs, onFiles }: { inputs: readonly string[]; onFiles: (files: File[]) => void }): void {
  const give = (files: FileList | null | undefined) => {
    if (files && files.length > 0) onFiles([...files]);
  };

  for (const id of inputs) {
    const input = byId<HTMLInputElement>(id);
    input.addEventListener('change', () => {
      give(input.files);
      // So that the same file can be chosen again.
      input.value = '';
    });
  }

  addEventListener('paste', (event) => give(event.clipboardData?.files));

  // The browser would leave the page and show the file, wherever on the page it is dropped.
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
    give(event.dataTransfer.files);
  });
}
