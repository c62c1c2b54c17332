// Generates the clips of `assay models try` in examples/speech/ with the Debian packages flite, festival, festvox-ru and
// ffmpeg.
// Usage: node scripts/make-speech-examples.mjs
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLIPS = {
  'en/kitchen': {
    voice: ['flite', 'slt'],
    text: `We looked at the kitchen first. The floor is level, the tiles are new, and the sink does not leak. Only the
      window behind the stove sticks, because the frame was painted while it was closed. It should be planed by
      five millimeters. The owner will be at home on Thursday at half past ten.`,
  },
  'en/letter': {
    voice: ['flite', 'awb'],
    text: `Thank you for sending the drawings so quickly. Two things are not clear to me. The stairs have seventeen steps
      on the first page, but only sixteen on the second. And the door to the cellar opens inward, where the pipes hang.
      Could you please correct both before the twelfth of August?`,
  },
  'en/site-with-noise': {
    voice: ['flite', 'rms'],
    noise: 0.03,
    text: `This is the daily report from the harbour. A storm stopped the crane for three hours, so we unloaded forty
      containers instead of sixty. One of them has a dent, but its seal is not broken. The night shift will finish the
      rest, and the ship can leave at six in the morning.`,
  },
  'ru/kvartira': {
    voice: ['festival', 'msu_ru_nsh_clunits'],
    text: `Мы осмотрели квартиру на третьем этаже. Стены сухие, окна закрываются хорошо, но в ванной комнате течёт кран.
      Общая площадь пятьдесят два метра. Хозяин просит прислать мастера в пятницу утром.`,
  },
  'ru/most': {
    voice: ['festival', 'msu_ru_nsh_clunits'],
    noise: 0.01,
    text: `Весной река поднялась, и старый мост закрыли на двадцать дней. Инженеры нашли одну широкую трещину и заделали
      её раствором. Теперь по мосту снова ездят автобусы, а полный ремонт начнётся осенью.`,
  },
};

// No encoder name and date, for reproducible bytes.
const PLAIN = ['-map_metadata', '-1', '-fflags', '+bitexact', '-flags:a', '+bitexact'];
const folder = fileURLToPath(new URL('../examples/speech/', import.meta.url));

for (const [name, { voice, noise = 0, text }] of Object.entries(CLIPS)) {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  const words = text.replace(/\s+/g, ' ');
  writeFileSync(`${path}.txt`, `${words}\n`);
  const mixed = `anoisesrc=color=brown:amplitude=${noise}:seed=1:sample_rate=16000[noise];
    [0:a]aresample=16000[speech];[speech][noise]amix=inputs=2:duration=first:normalize=0`;
  const encoding = ['-filter_complex', mixed, '-ac', '1', '-c:a', 'libopus', '-b:a', '24k', ...PLAIN];
  execFileSync('ffmpeg', ['-loglevel', 'error', '-y', '-i', 'pipe:0', ...encoding, `${path}.ogg`], {
    input: speak(voice, words),
  });
}

function speak([program, voice], text) {
  const draft = mkdtempSync(join(tmpdir(), 'assay-speech-'));
  try {
    const path = join(draft, 'speech.wav');
    if (program === 'flite') execFileSync('flite', ['-voice', voice, '-t', text, '-o', path]);
    else execFileSync('text2wave', ['-eval', `(voice_${voice})`, '-o', path], { input: text });
    return readFileSync(path);
  } finally {
    rmSync(draft, { recursive: true });
  }
}
