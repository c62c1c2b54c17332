import { clock } from '../../../ui/browser/clock.ts';
import { announce, byId, fill } from '../../../ui/browser/dom.ts';
import type { SpeechTexts } from './texts.ts';

/** What browsers record, the first that this one can. */
const TYPES = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg;codecs=opus'];

/**
 * The microphone as a way in: one button that begins, then one that ends and gives the recording, and one that throws it
 * away. It is not offered where the browser has no microphone for pages: without https, but for this machine.
 */
export function openRecorder(
  texts: SpeechTexts,
  on: { file: (file: File) => void; refused: (sentence: string) => void },
): void {
  const begin = byId<HTMLButtonElement>('record');
  // A browser that gives pages no microphone has no such thing, whatever its typings say.
  const devices = navigator.mediaDevices as MediaDevices | undefined;
  if (!devices?.getUserMedia || !('MediaRecorder' in window)) return;
  begin.hidden = false;
  begin.addEventListener('click', () => {
    begin.disabled = true;
    record(devices)
      .catch((error: unknown) => {
        const none = error instanceof DOMException && error.name === 'NotFoundError';
        on.refused(none ? texts.record.none : texts.record.refused);
      })
      .finally(() => {
        begin.disabled = false;
      });
  });

  async function record(media: MediaDevices): Promise<void> {
    const stream = await media.getUserMedia({ audio: true });
    try {
      await recordFrom(stream);
    } finally {
      // Whatever went wrong: a page must not go on listening.
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
    announce(texts.said.recording);
    const kept = await decision(recorder);
    await stopped;
    if (!kept) return;
    const type = recorder.mimeType.split(';')[0] ?? '';
    const time = new Date().toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' });
    const ending = type.split('/')[1] ?? 'webm';
    on.file(new File(parts, `${fill(texts.record.name, { time })}.${ending}`, { type }));
  }

  /** Shows the clock until the person has decided, or the microphone was pulled out. */
  function decision(recorder: MediaRecorder): Promise<boolean> {
    const panel = byId('recording');
    const since = performance.now();
    const tick = () => {
      byId('recording-time').textContent = fill(texts.record.going, {
        time: clock((performance.now() - since) / 1000),
      });
    };
    const ticking = setInterval(tick, 250);
    tick();
    panel.hidden = false;
    begin.hidden = true;
    byId('record-stop').focus();
    return new Promise((resolve) => {
      const end = (kept: boolean) => () => {
        clearInterval(ticking);
        panel.hidden = true;
        begin.hidden = false;
        begin.focus();
        if (recorder.state !== 'inactive') recorder.stop();
        resolve(kept);
      };
      byId('record-stop').onclick = end(true);
      byId('record-discard').onclick = end(false);
      recorder.addEventListener('stop', end(true), { once: true });
    });
  }
}
