import type { Sample } from './folder.ts';

/** With fewer images per class the model overfits. */
const MIN_IMAGES_PER_CLASS = 10;

/** The distinct `names`: known classes in their order, then new ones alphabetically, then `sound`. */
export function sortClasses(names: readonly string[], known: readonly string[], sound: string): string[] {
  const distinct = new Set(names);
  const rank = (name: string) =>
    name === sound ? known.length + 1 : known.includes(name) ? known.indexOf(name) : known.length;
  return [...distinct].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

export function groupDefects(samples: readonly Sample[], sound: string): Record<string, string[]> {
  const masters: Record<string, string[]> = {};
  for (const { master, defect } of samples) {
    masters[master] ??= [];
    const defects = masters[master];
    if (defect !== sound && !defects.includes(defect)) defects.push(defect);
  }
  return masters;
}

export function datasetWarnings(samples: readonly Sample[], defects: readonly string[], sound: string): string[] {
  const fewImages = defects.flatMap((name) => {
    const images = samples.filter(({ defect }) => defect === name).length;
    if (images >= MIN_IMAGES_PER_CLASS) return [];
    return [
      `Warning: ${name} has only ${images} ${images === 1 ? 'image' : 'images'}. Use at least ${MIN_IMAGES_PER_CLASS}, preferably 50.`,
    ];
  });
  const noSound = `Warning: no image is labelled ${sound}. The model will report a defect in every photo.`;
  return defects.includes(sound) ? fewImages : [...fewImages, noSound];
}
