// Generates examples/voice-note.mp3 and test/stt/inspection.ogg with espeak-ng and ffmpeg.
// Usage: node scripts/make-voice-note.mjs
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const NOTE =
  'The inspection of the north stairwell is finished. We found one long crack above the window, and some rust on the handrail. The rest of the wall looks good.';

// One minute: three windows of the recognizer.
const INSPECTION = `On Monday morning we walked through the building at the corner of the park. The roof is in good order, but
  two of the gutters are full of leaves and should be cleaned before winter. On the third floor a window does not close,
  and water has run down the wall below it. The paint has come off there, and the plaster is soft. We took seven
  photographs and marked the place with blue chalk. In the cellar the air is dry. The pump was tested twice and started
  both times. One of the pipes shows rust near the valve, so the plumber should look at it next week. The electric panel
  is new and every switch has a name. The doors to the stairs open easily, and the lamps work on every floor. In the yard
  there is a hole beside the gate, about half a metre wide, and somebody may fall into it at night. We put a wooden board
  over it and told the neighbours. The next visit is planned for the second of December. Please bring the long ladder and
  the keys to the attic.`;

// No encoder name and date, for reproducible bytes.
const PLAIN = ['-ac', '1', '-map_metadata', '-1', '-fflags', '+bitexact', '-flags:a', '+bitexact'];

function speak(text, speed, encoding, path) {
  const words = text.replace(/\s+/g, ' ');
  const sound = execFileSync('espeak-ng', ['-v', 'en-us', '-s', speed, '--stdout', words], { maxBuffer: 2 ** 24 });
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  execFileSync('ffmpeg', ['-loglevel', 'error', '-y', '-i', 'pipe:0', ...encoding, ...PLAIN, file], { input: sound });
}

speak(NOTE, '145', ['-ar', '24000', '-b:a', '48k'], 'examples/voice-note.mp3');
speak(INSPECTION, '150', ['-ar', '16000', '-c:a', 'libopus', '-b:a', '16k'], 'test/stt/inspection.ogg');
