// Pictures of other things than surfaces, drawn in Chromium from seeds, for `bench/familiarity.mjs`. Half of them get
// sensor noise, and all are JPEG files.
import { readdirSync, readFileSync } from 'node:fs';
import { marked } from 'marked';
import { chromium } from 'playwright-core';

/** Kind → JPEG bytes of `count` pictures. `docs`: a folder with Markdown files; `speech`: a folder with WAV files. */
export async function drawUnfamiliarPictures({ count, docs, speech }) {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1000, height: 750 } });
    const kinds = { screenshots: await screenshots(page, count, docs) };
    await page.setContent('<body style="margin:0"><canvas width=512 height=512></canvas>');
    const functions = [createRandom, draw, spectrogram, ...Object.values(DRAWINGS)];
    await page.addScriptTag({ content: functions.join('\n') });
    for (const kind of Object.keys(DRAWINGS)) kinds[kind] = await canvases(page, count, (seed) => ({ kind, seed }));
    const sounds = readdirSync(speech)
      .filter((name) => name.endsWith('.wav'))
      .map((name) => readWav(`${speech}/${name}`));
    kinds.spectrograms = await canvases(page, count, (seed) => {
      const sound = sounds[seed % sounds.length];
      const from = Math.floor((seed * 9973 * 7) % Math.max(1, sound.length - 33_000));
      return { kind: 'spectrogram', seed, samples: Array.from(sound.subarray(from, from + 33_000)) };
    });
    return kinds;
  } finally {
    await browser.close();
  }
}

async function screenshots(page, count, docs) {
  const texts = readdirSync(docs)
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(`${docs}/${name}`, 'utf8'));
  const themes = ['#fff;color:#222', '#1e1e2e;color:#ddd', '#f6f1e5;color:#433', '#eef;color:#114'];
  const pictures = [];
  for (let n = 0; n < count; n++) {
    const style = `margin:2em;font:${12 + (n % 5) * 3}px sans-serif;background:${themes[n % themes.length]}`;
    await page.setViewportSize({ width: 360 + (n % 4) * 320, height: 640 + (n % 3) * 100 });
    await page.setContent(`<body style="${style}">${await marked.parse(texts[n % texts.length])}</body>`);
    await page.evaluate(`scrollTo(0, ${(n * 397) % 4000})`);
    pictures.push(await page.screenshot({ type: 'jpeg', quality: 85 }));
  }
  return pictures;
}

async function canvases(page, count, optionsOf) {
  const pictures = [];
  for (let seed = 0; seed < count; seed++) {
    const url = await page.evaluate((options) => {
      const canvas = document.querySelector('canvas');
      (options.kind === 'spectrogram' ? window.spectrogram : window.draw)(canvas, options);
      return canvas.toDataURL('image/jpeg', 0.85);
    }, optionsOf(seed));
    pictures.push(Buffer.from(url.split(',')[1], 'base64'));
  }
  return pictures;
}

/** Samples of a 16-bit mono WAV file. */
function readWav(path) {
  const bytes = readFileSync(path);
  const from = bytes.indexOf('data') + 8;
  return Float32Array.from({ length: (bytes.length - from) >> 1 }, (_, i) => bytes.readInt16LE(from + 2 * i) / 32_768);
}

// The functions below run in the page.

function createRandom(seed) {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/* global plants, objects, faces, scenes */
function draw(canvas, { kind, seed }) {
  const random = createRandom(seed + 17);
  for (let i = 0; i < 8; i++) random();
  const c = canvas.getContext('2d');
  const tools = { c, random, between: (a, b) => a + (b - a) * random(), hsl: (h, s, l) => `hsl(${h},${s}%,${l}%)` };
  ({ plants, objects, faces, scenes })[kind](tools);
  if (seed % 2 === 0) return;
  const image = c.getImageData(0, 0, 512, 512);
  for (let i = 0; i < image.data.length; i++) if (i % 4 < 3) image.data[i] += (random() + random() - 1) * 30;
  c.putImageData(image, 0, 0);
}

const DRAWINGS = {
  plants: function plants({ c, between, hsl }) {
    const sky = c.createLinearGradient(0, 0, 0, 512);
    sky.addColorStop(0, hsl(between(190, 230), 40, between(40, 85)));
    sky.addColorStop(1, hsl(between(60, 130), between(20, 50), between(25, 60)));
    c.fillStyle = sky;
    c.fillRect(0, 0, 512, 512);
    const branch = (x, y, angle, length, width) => {
      const [toX, toY] = [x + Math.cos(angle) * length, y + Math.sin(angle) * length];
      c.strokeStyle = hsl(between(20, 45), 40, between(15, 35));
      c.lineWidth = width;
      c.beginPath();
      c.moveTo(x, y);
      c.lineTo(toX, toY);
      c.stroke();
      if (length > 14) {
        for (let i = 0; i < 3; i++)
          branch(toX, toY, angle + between(-0.7, 0.7), length * between(0.6, 0.8), width * 0.65);
        return;
      }
      c.fillStyle = hsl(between(70, 140), between(30, 80), between(20, 55));
      c.beginPath();
      c.ellipse(toX, toY, between(4, 14), between(2, 7), between(0, 6), 0, 7);
      c.fill();
    };
    for (let n = 0; n < between(1, 4); n++)
      branch(between(60, 450), 520, -Math.PI / 2 + between(-0.3, 0.3), between(70, 120), 16);
    for (let n = 0; n < between(0, 12); n++) {
      const [x, y, hue, size] = [between(0, 512), between(200, 500), between(0, 360), between(8, 26)];
      for (let petal = 0; petal < 7; petal++) {
        c.fillStyle = hsl(hue, 80, between(50, 75));
        c.beginPath();
        c.ellipse(
          x + Math.cos(petal * 0.9) * size,
          y + Math.sin(petal * 0.9) * size,
          size,
          size / 2,
          petal * 0.9,
          0,
          7,
        );
        c.fill();
      }
    }
  },
  objects: function objects({ c, between, hsl }) {
    c.fillStyle = hsl(between(0, 360), between(0, 40), between(30, 90));
    c.fillRect(0, 0, 512, 512);
    c.fillStyle = hsl(between(0, 60), between(10, 50), between(20, 60));
    c.fillRect(0, between(280, 400), 512, 300);
    for (let n = 0; n < between(2, 7); n++) {
      const [x, y, r, hue] = [between(60, 450), between(120, 420), between(30, 110), between(0, 360)];
      const shade = c.createRadialGradient(x - r / 3, y - r / 3, r / 10, x, y, r * 1.2);
      shade.addColorStop(0, hsl(hue, between(30, 90), 85));
      shade.addColorStop(1, hsl(hue, between(30, 90), 15));
      c.shadowBlur = 30;
      c.shadowOffsetY = 12;
      c.shadowColor = '#0008';
      c.fillStyle = shade;
      c.beginPath();
      if (n % 3 === 0) c.arc(x, y, r, 0, 7);
      else if (n % 3 === 1) c.roundRect(x - r, y - r * 0.7, 2 * r, 1.4 * r, r / 5);
      else
        for (const [dx, dy] of [
          [0, -1],
          [0.9, 0.7],
          [-0.9, 0.7],
        ])
          c.lineTo(x + dx * r, y + dy * r);
      c.fill();
    }
    c.shadowColor = 'transparent';
  },
  faces: function faces({ c, between, hsl }) {
    c.fillStyle = hsl(between(0, 360), between(10, 50), between(20, 80));
    c.fillRect(0, 0, 512, 512);
    const [x, y, w, h, skin] = [
      between(200, 310),
      between(220, 290),
      between(100, 150),
      between(140, 190),
      between(15, 35),
    ];
    const oval = (dx, dy, rx, ry, colour) => {
      c.fillStyle = colour;
      c.beginPath();
      c.ellipse(x + dx, y + dy, rx, ry, 0, 0, 7);
      c.fill();
    };
    oval(0, h * 1.5, w * 1.7, h * 0.8, hsl(between(0, 360), 50, between(20, 60)));
    oval(0, -h * 0.25, w * 1.15, h, hsl(between(0, 50), 40, between(5, 50)));
    const shade = c.createRadialGradient(x - w / 3, y - h / 3, 10, x, y, h * 1.2);
    shade.addColorStop(0, hsl(skin, 50, 80));
    shade.addColorStop(1, hsl(skin, 45, between(25, 55)));
    oval(0, 0, w, h, shade);
    for (const side of [-1, 1]) {
      oval(side * w * 0.4, -h * 0.15, w * 0.2, h * 0.08, '#fff');
      oval(side * w * 0.4, -h * 0.15, w * 0.08, h * 0.08, hsl(between(0, 260), 50, 25));
      oval(side * w * 0.4, -h * 0.33, w * 0.24, h * 0.03, hsl(30, 40, 15));
    }
    oval(0, h * 0.15, w * 0.12, h * 0.17, hsl(skin, 50, 60));
    oval(0, h * 0.55, w * between(0.25, 0.45), h * between(0.04, 0.12), hsl(355, 55, 42));
  },
  scenes: function scenes({ c, between, hsl }) {
    const sky = c.createLinearGradient(0, 0, 0, 350);
    const hue = between(180, 240);
    sky.addColorStop(0, hsl(hue, 60, between(20, 60)));
    sky.addColorStop(1, hsl(between(20, 220), 50, 85));
    c.fillStyle = sky;
    c.fillRect(0, 0, 512, 512);
    for (let hill = 0; hill < 4; hill++) {
      c.fillStyle = hsl(between(60, 200), between(10, 45), 65 - hill * between(8, 13));
      c.beginPath();
      c.moveTo(0, 512);
      const [phase, height] = [between(0, 6), between(20, 70)];
      for (let at = 0; at <= 512; at += 8) c.lineTo(at, 230 + hill * 65 - Math.sin(at / 70 + phase) * height);
      c.lineTo(512, 512);
      c.fill();
    }
    for (let house = 0; house < between(0, 6); house++) {
      const [x, y, w, h] = [between(0, 420), between(250, 400), between(50, 120), between(60, 150)];
      c.fillStyle = hsl(between(0, 60), between(5, 40), between(40, 85));
      c.fillRect(x, y, w, h);
      c.fillStyle = hsl(between(0, 30), 50, 35);
      c.beginPath();
      for (const [dx, dy] of [
        [-8, 0],
        [w / 2, -h / 2],
        [w + 8, 0],
      ])
        c.lineTo(x + dx, y + dy);
      c.fill();
      c.fillStyle = '#234';
      for (let at = 8; at + 14 < w; at += 24) c.fillRect(x + at, y + 14, 14, 18);
    }
  },
};

/** Power spectrum of 512 samples per column (discrete Fourier transform), coloured by level. */
function spectrogram(canvas, { seed, samples }) {
  const [columns, rows, size] = [256, 128, 512];
  const small = new OffscreenCanvas(columns, rows);
  const c = small.getContext('2d');
  const image = c.createImageData(columns, rows);
  for (let x = 0; x < columns; x++) {
    for (let y = 0; y < rows; y++) {
      let [re, im] = [0, 0];
      for (let n = 0; n < size; n += 2) {
        const value = (samples[x * 126 + n] ?? 0) * (0.5 - 0.5 * Math.cos((2 * Math.PI * n) / size));
        re += value * Math.cos((Math.PI * y * n) / size);
        im += value * Math.sin((Math.PI * y * n) / size);
      }
      const level = Math.max(0, Math.min(1, (Math.log10(re * re + im * im + 1e-8) + 5) / 7));
      const rgb = [
        [level, level, level],
        [level, level ** 2, 0.4 - 0.3 * level],
        [1 - level, 1 - level, 1 - level],
      ][seed % 3];
      for (let k = 0; k < 3; k++) image.data[((rows - 1 - y) * columns + x) * 4 + k] = rgb[k] * 255;
      image.data[((rows - 1 - y) * columns + x) * 4 + 3] = 255;
    }
  }
  c.putImageData(image, 0, 0);
  canvas.getContext('2d').drawImage(small, 0, 0, 512, 512);
}
