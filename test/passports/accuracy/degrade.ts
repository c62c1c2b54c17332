import sharp, { type Sharp } from 'sharp';
import type { Random } from './random.ts';

/** A grayscale page. */
interface Sheet {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3 | 4;
  readonly data: Uint8Array;
}

/** Simulates an office scanner at 200 dpi: slight tilt, grey paper, noise, JPEG quality 40. */
export async function simulateScan(page: Picture, random: Random): Promise<Buffer> {
  const tilt = (random.next() - 0.5) * 2.4;
  const tilted = sharp(page.data, { raw: page }).greyscale().rotate(tilt, { background: '#ffffff' }).blur(0.6);
  const { data, width, height } = await grey(tilted);
  const paper = random.integer(226, 244);
  for (let i = 0; i < data.length; i++) {
    const ink = 30 + (data[i]! / 255) * (paper - 30);
    data[i] = clamp(random.next() < 0.0003 ? 60 : ink + (random.next() - 0.5) * 26);
  }
  return sharp(data, { raw: { width, height, channels: 1 } })
    .jpeg({ quality: 40 })
    .toBuffer();
}

/** Simulates a phone photo: perspective, a shadow, uneven light, JPEG, and a rotation by `turned`. */
export async function simulatePhoto(page: Picture, random: Random, turned: 0 | 90 | 180 | 270 = 0): Promise<Buffer> {
  const sheet = await grey(sharp(page.data, { raw: page }).greyscale());
  const margin = Math.round(0.03 * sheet.width);
  const width = sheet.width + 2 * margin;
  const height = sheet.height + 2 * margin;
  const distortion = () => (random.next() - 0.5) * 0.03;
  const [shear, lean, keystone, pinch] = [distortion(), distortion(), distortion(), distortion()];
  const [shadowX, shadowSlope] = [width * (0.3 + 0.4 * random.next()), random.next() - 0.5];
  const light = 0.82 + 0.12 * random.next();
  const out = Buffer.alloc(width * height);
  for (let y = 0; y < height; y++) {
    const v = y / height - 0.5;
    for (let x = 0; x < width; x++) {
      const u = x / width - 0.5;
      const w = 1 + keystone * v + pinch * u;
      const sx = ((u + shear * v) / w + 0.5) * width - margin;
      const sy = ((v + lean * u) / w + 0.5) * height - margin;
      const shade = 1 - 0.28 / (1 + Math.exp(-(x - shadowX - shadowSlope * y) / (0.04 * width)));
      const falloff = 1 - 0.25 * (u * u + v * v);
      const value = 24 + 0.86 * pixel(sheet, sx, sy);
      out[y * width + x] = clamp(value * light * shade * falloff + (random.next() - 0.5) * 14);
    }
  }
  return sharp(out, { raw: { width, height, channels: 1 } })
    .blur(0.7)
    .rotate(turned)
    .jpeg({ quality: 60 })
    .toBuffer();
}

/** Returns the first channel, because libvips may output several. */
async function grey(image: Sharp): Promise<Sheet> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  if (info.channels === 1) return { data, width: info.width, height: info.height };
  const first = Buffer.alloc(info.width * info.height);
  for (let i = 0; i < first.length; i++) first[i] = data[i * info.channels]!;
  return { data: first, width: info.width, height: info.height };
}

const BACKGROUND = 90;

/** Bilinear interpolation; {@link BACKGROUND} outside the page. */
function pixel({ data, width, height }: Sheet, x: number, y: number): number {
  const left = Math.floor(x);
  const top = Math.floor(y);
  if (left < 0 || top < 0 || left >= width - 1 || top >= height - 1) return BACKGROUND;
  const at = top * width + left;
  const fx = x - left;
  const fy = y - top;
  const above = data[at]! * (1 - fx) + data[at + 1]! * fx;
  const below = data[at + width]! * (1 - fx) + data[at + width + 1]! * fx;
  return above * (1 - fy) + below * fy;
}

const clamp = (value: number): number => Math.max(0, Math.min(255, Math.round(value)));
