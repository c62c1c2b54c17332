import { announce } from './dom.ts';

/** Copies `text` when the button is pressed, and says so on the button and aloud. */
export function copies(button: HTMLButtonElement, text: () => string, words: { copy: string; copied: string }): void {
  button.addEventListener('click', () => {
    void put(text()).then((done) => {
      if (!done) return;
      button.textContent = words.copied;
      announce(words.copied);
      setTimeout(() => {
        button.textContent = words.copy;
      }, 1500);
    });
  });
}

async function put(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // No clipboard without https (but for localhost); the old way still works there.
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'visually-hidden';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}
