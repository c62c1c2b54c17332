import { byId } from './dom.ts';

/** From file inputs, drag and drop anywhere on the page, and the clipboard. */
export function listenForFiles({
  inputs,
  onFiles,
  onDrop = ({ files }) => onFiles([...files]),
}: {
  inputs: readonly string[];
  onFiles: (files: File[]) => void;
  /** For pages that read dropped folders. */
  onDrop?: (dropped: DataTransfer) => void;
}): void {
  const emit = (files: FileList | null | undefined) => {
    if (files && files.length > 0) onFiles([...files]);
  };

  for (const id of inputs) {
    const input = byId<HTMLInputElement>(id);
    input.addEventListener('change', () => {
      emit(input.files);
      // Allows choosing the same file again.
      input.value = '';
    });
  }

  addEventListener('paste', (event) => emit(event.clipboardData?.files));

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
