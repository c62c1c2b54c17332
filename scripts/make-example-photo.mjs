// Generates examples/wall.jpg, a concrete wall with a crack, from a seed: an example photo without copyright.
// Usage: node scripts/make-example-photo.mjs [SEED [FILE]]
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { ensureBuilt } from './build.mjs';

ensureBuilt();
const { createRandom } = await import('../dist/base/random.js');

const WIDTH = 2048;
const HEIGHT = 1536;
const seed = Number(process.argv[2] ?? 11);
const file = process.argv[3] ?? fileURLToPath(new URL('../examples/wall.jpg', import.meta.url));

const random = createRandom(seed);
const between = (low, high) => low + (high - low) * random();
const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

// Brightness of each pixel, 0..255, and its share inside the crack, 0..1.
const light = new Float32Array(WIDTH * HEIGHT);
const depth = new Float32Array(WIDTH * HEIGHT);

wall();
crack();
pores(700);
await write();

/** Cement surface: stains, mottle, gradient of light, grain. */
function wall() {
  const stains = clouds(5, 0.55, 4);
  const mottle = clouds(40, 0.6, 4);
  const grain = clouds(420, 0.7, 2);
  const slope = [between(-14, 14), between(6, 16)];
  for (let y = 0, i = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++, i++) {
      const fall = slope[0] * (x / WIDTH - 0.5) - slope[1] * (y / HEIGHT - 0.5);
      light[i] = 186 + fall + 9 * stains(x, y) + 5 * mottle(x, y) + 9 * grain(x, y) + 5 * gauss();
    }
  }
}

/** Air bubbles: dark pits with a lit lower rim. */
function pores(count) {
  const uneven = clouds(200, 0.7, 3);
  for (let n = 0; n < count; n++) {
    const [cx, cy] = [random() * WIDTH, random() * HEIGHT];
    const radius = 1.5 + 15 * random() ** 9;
    const dark = between(30, 100);
    around(cx, cy, radius * 2.5, (i, dx, dy) => {
      const d = (Math.hypot(dx, dy) / radius) * (1 + 0.5 * uneven(cx + dx, cy + dy));
      if (d < 1) light[i] -= dark * (1 - d ** 3);
      else if (d < 1.8 && dy > 0) light[i] += dark * 0.25 * (1.8 - d);
    });
  }
}

/** A main crack from edge to edge with varying direction and width, and some branches. */
function crack() {
  const branches = [];
  let [x, y, heading] = [between(0.2, 0.35) * WIDTH, -20, between(0.9, 1.2)];
  let wander = 0;
  let opening = 0;
  for (let step = 0; y < HEIGHT + 20 && x > -20 && x < WIDTH + 20 && step < 4000; step++) {
    wander = 0.94 * wander + 0.1 * gauss();
    opening = 0.985 * opening + 0.17 * gauss();
    if (random() < 0.02) heading += between(-0.5, 0.5);
    heading += 0.02 * (1.15 - heading);
    stroke(x, y, Math.max(4, 8.5 + 2.6 * opening));
    if (random() < 0.0035) branches.push([x, y, heading + (random() < 0.5 ? -1 : 1) * between(0.5, 1)]);
    x += 2 * Math.cos(heading + wander);
    y += 2 * Math.sin(heading + wander);
  }
  for (const [bx, by, angle] of branches) branch(bx, by, angle, between(150, 420));
  const crumble = clouds(220, 0.7, 3);
  for (let py = 0, i = 0; py < HEIGHT; py++) {
    for (let px = 0; px < WIDTH; px++, i++) {
      if (depth[i] === 0) continue;
      const inside = Math.min(1, Math.max(0, depth[i] + 0.55 * crumble(px, py) - 0.12) * 1.9);
      light[i] -= inside * (light[i] - 34 - 10 * random()) * 0.93;
    }
  }
}

function branch(x, y, heading, length) {
  let wander = 0;
  for (let done = 0; done < length; done += 2) {
    wander = 0.93 * wander + 0.12 * gauss();
    stroke(x, y, Math.max(1.6, 5 * (1 - done / length)));
    x += 2 * Math.cos(heading + wander);
    y += 2 * Math.sin(heading + wander);
  }
}

/** One dot of the crack: full depth in the middle, none at `radius`. */
function stroke(x, y, radius) {
  around(x, y, radius, (i, dx, dy) => {
    depth[i] = Math.max(depth[i], 1 - Math.hypot(dx, dy) / radius);
  });
}

function around(cx, cy, reach, visit) {
  for (let y = Math.max(0, Math.ceil(cy - reach)); y <= Math.min(HEIGHT - 1, cy + reach); y++) {
    for (let x = Math.max(0, Math.ceil(cx - reach)); x <= Math.min(WIDTH - 1, cx + reach); x++) {
      visit(y * WIDTH + x, x - cx, y - cy);
    }
  }
}

/** Value noise, about -1..1: `cells` across the photo at the coarsest, each octave half as large and `fade` as strong. */
function clouds(cells, fade, octaves) {
  const layers = Array.from({ length: octaves }, (_, n) => {
    const across = Math.ceil(cells * 2 ** n) + 2;
    const down = Math.ceil((across * HEIGHT) / WIDTH) + 2;
    return {
      across,
      values: Float32Array.from({ length: across * down }, () => 2 * random() - 1),
      scale: (cells * 2 ** n) / WIDTH,
      weight: fade ** n,
    };
  });
  const smooth = (t) => t * t * (3 - 2 * t);
  return (x, y) => {
    let sum = 0;
    for (const { across, values, scale, weight } of layers) {
      const [fx, fy] = [x * scale, y * scale];
      const [ix, iy] = [Math.floor(fx), Math.floor(fy)];
      const [tx, ty] = [smooth(fx - ix), smooth(fy - iy)];
      const at = iy * across + ix;
      const above = values[at] + tx * (values[at + 1] - values[at]);
      const below = values[at + across] + tx * (values[at + across + 1] - values[at + across]);
      sum += weight * (above + ty * (below - above));
    }
    return sum;
  };
}

async function write() {
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 3);
  for (let i = 0; i < light.length; i++) {
    const value = light[i] + 2 * gauss();
    pixels.set(
      [value * 0.985, value, value * 1.005].map((v) => Math.min(255, Math.max(0, Math.round(v)))),
      i * 3,
    );
  }
  const { size } = await sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .blur(1.1)
    .jpeg({ quality: 85 })
    .toFile(file);
  console.log(`${file}: ${WIDTH} x ${HEIGHT}, ${Math.round(size / 1024)} KiB`);
}
