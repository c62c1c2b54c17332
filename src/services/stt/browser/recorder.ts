import { formatClock } from '../../../ui/browser/clock.ts';
import { announce, byId, fill } from '../../../ui/browser/dom.ts';
import type { SpeechTexts } from './texts.ts';

/** Formats by preference; browsers support different ones. */
const TYPES = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg;codecs=opus'];

/** Hidden if the page has no access to a microphone, for example without https. */
export function createRecorder(
  texts: SpeechTexts,
  on: { file: (file: File) => void; error: (sentence: string) => void },
): void {
  const startButton = byId<HTMLButtonElement>('record');
  // Undefined in insecure contexts, unlike its type.
  const devices = navigator.mediaDevices as MediaDevices | undefined;
  if (!devices?.getUserMedia || !('MediaRecorder' in window)) return;
  startButton.hidden = false;
  startButton.addEventListener('click', () => {
    startButton.disabled = true;
    record(devices)
      .catch((error: unknown) => {
        const isMissing = error instanceof DOMException && error.name === 'NotFoundError';
        on.error(isMissing ? texts.record.none : texts.record.refused);
      })
      .finally(() => {
        startButton.disabled = false;
      });
  });

  async function record(media: MediaDevices): Promise<void> {
    const stream = await media.getUserMedia({ audio: true });
    try {
      await recordFrom(stream);
    } finally {
      // Always releases the microphone.
      for (const track of stream.getTracks()) track.stop();
    }
  }

  async function recordFrom(stream: MediaStream): Promise<void> {
    const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
    const recorder = new MediaRecorder(stream, mimeType === undefined ? {} : { mimeType });
    const parts: Blob[] = [];
    recorder.addEventListener('dataavailable', ({ data }) => parts.push(data));
    const stopped = new Promise<void>((resolve) => recorder.addEventListener('stop', () => resolve(), { once: true }));
    recorder.start(1000);
    announce(texts.announcements.recording);
    const isKept = await waitForDecision(recorder);
    await stopped;
    if (!isKept) return;
    const type = recorder.mimeType.split(';')[0] ?? '';
    const time = new Date().toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' });
    const extension = type.split('/')[1] ?? 'webm';
    on.file(new File(parts, `${fill(texts.record.name, { time })}.${extension}`, { type }));
  }

  /** Waits until the recording is stopped or discarded, or the microphone is disconnected. */
  function waitForDecision(recorder: MediaRecorder): Promise<boolean> {
    const panel = byId('recording');
    const startedAt = performance.now();
    const tick = () => {
      byId('recording-time').textContent = fill(texts.record.going, {
        time: formatClock((performance.now() - startedAt) / 1000),
      });
    };
    const timer = setInterval(tick, 250);
    tick();
    panel.hidden = false;
    startButton.hidden = true;
    byId('record-stop').focus();
    return new Promise((resolve) => {
      const end = (isKept: boolean) => () => {
        clearInterval(timer);
        panel.hidden = true;
        startButton.hidden = false;
        startButton.focus();
        if (recorder.state !== 'inactive') recorder.stop();
        resolve(isKept);
      };
      byId('record-stop').onclick = end(true);
      byId('record-discard').onclick = end(false);
      recorder.addEventListener('stop', end(true), { once: true });
    });
  }
}
