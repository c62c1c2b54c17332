// Makes a page look like an office scan or a photo: perspective, paper, light, blur, noise, JPEG.
import sharp from 'sharp';

/** `picture` is an encoded image; returns `{ data, width, height, channels }` as the OCR reads it. */
export async function degrade(picture, random, kind = random.pick(['scan', 'photo'])) {
  const isPhoto = kind === 'photo';
  const scale = random.pick(isPhoto ? [0.9, 1, 1.15] : [0.75, 1, 1, 1.25, 1.5]);
  const { width } = await sharp(picture).metadata();
  const sheet = await grey(sharp(picture).resize({ width: Math.round(width * scale) }));
  const warped = warp(sheet, random, isPhoto);
  const jpeg = await sharp(warped.data, { raw: { width: warped.width, height: warped.height, channels: 1 } })
    .blur(0.3 + random.next() * (isPhoto ? 0.8 : 0.6))
    .jpeg({ quality: random.integer(30, 85) })
    .toBuffer();
  return { ...(await grey(sharp(jpeg))), scale };
}

async function grey(image) {
  const { data, info } = await image.greyscale().toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: 1 };
}

/** Tilts and distorts the sheet, and lights it unevenly. */
function warp(sheet, random, isPhoto) {
  const margin = isPhoto ? Math.round((0.01 + 0.05 * random.next()) * sheet.width) : 0;
  const [width, height] = [sheet.width + 2 * margin, sheet.height + 2 * margin];
  const within = (limit) => (random.next() - 0.5) * 2 * limit;
  const angle = within(isPhoto ? 0.02 : 0.022);
  const [keystone, pinch, shear] = isPhoto ? [within(0.02), within(0.02), within(0.015)] : [0, 0, within(0.002)];
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const paper = isPhoto ? random.integer(175, 240) : random.integer(215, 252);
  const ink = random.integer(15, random.chance(0.2) ? 110 : 55);
  const noise = random.next() * (isPhoto ? 16 : 24);
  const [slopeX, slopeY] = isPhoto ? [within(0.25), within(0.25)] : [within(0.03), within(0.03)];
  const shadow =
    isPhoto && random.chance(0.5) ? { at: random.next(), slope: within(0.6), depth: 0.3 * random.next() } : undefined;
  const table = random.integer(40, 130);
  const data = Buffer.alloc(width * height);
  for (let y = 0; y < height; y++) {
    const v = y / height - 0.5;
    for (let x = 0; x < width; x++) {
      const u = x / width - 0.5;
      const w = 1 + keystone * v + pinch * u;
      const [px, py] = [((u + shear * v) / w) * width, (v / w) * height];
      const found = at(sheet, px * cosine - py * sine + sheet.width / 2, px * sine + py * cosine + sheet.height / 2);
      const value = found < 0 ? (isPhoto ? table : paper) : ink + ((paper - ink) * found) / 255;
      let light = 1 + slopeX * u + slopeY * v - 0.1 * (Math.abs(slopeX) + Math.abs(slopeY));
      if (shadow) light *= 1 - shadow.depth / (1 + Math.exp((u + 0.5 - shadow.at - shadow.slope * v) * 25));
      data[y * width + x] = Math.max(0, Math.min(255, value * light + within(noise / 2)));
    }
  }
  return { data, width, height };
}

/** Bilinear interpolation; -1 outside. */
function at({ data, width, height }, x, y) {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  if (left < 0 || top < 0 || left >= width - 1 || top >= height - 1) return -1;
  const [fx, fy, i] = [x - left, y - top, top * width + left];
  const above = data[i] * (1 - fx) + data[i + 1] * fx;
  const below = data[i + width] * (1 - fx) + data[i + width + 1] * fx;
  return above * (1 - fy) + below * fy;
}
