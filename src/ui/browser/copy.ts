import { announce } from './dom.ts';

export function copyOnClick(
  button: HTMLButtonElement,
  text: () => string,
  words: { copy: string; copied: string },
): void {
  button.addEventListener('click', () => {
    void writeClipboard(text()).then((isCopied) => {
      if (!isCopied) return;
      button.textContent = words.copied;
      announce(words.copied);
      setTimeout(() => {
        button.textContent = words.copy;
      }, 1500);
    });
  });
}

async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The clipboard API requires https or localhost.
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'visually-hidden';
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    return isCopied;
  }
}
