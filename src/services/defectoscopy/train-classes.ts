import type { Sample } from './train-folder.ts';

/** A class with fewer images than this is learnt by heart rather than understood. */
const FEW = 10;

/** The classes among `names`: known ones in their order, then new ones by name, and what is sound at the end. */
export function classesOf(names: readonly string[], known: readonly string[], sound: string): string[] {
  const found = new Set(names);
  const rank = (name: string) =>
    name === sound ? known.length + 1 : known.includes(name) ? known.indexOf(name) : known.length;
  return [...found].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** The defects of each group, as the images have them. */
export function mastersOf(samples: readonly Sample[], sound: string): Record<string, string[]> {
  const masters: Record<string, string[]> = {};
  for (const { master, defect } of samples) {
    masters[master] ??= [];
    const defects = masters[master];
    if (defect !== sound && !defects.includes(defect)) defects.push(defect);
  }
  return masters;
}

/** What the person who trains should know before believing the result. */
export function warningsOf(samples: readonly Sample[], defects: readonly string[], sound: string): string[] {
  const few = defects.flatMap((name) => {
    const images = samples.filter(({ defect }) => defect === name).length;
    if (images >= FEW) return [];
    return [
      `Warning: ${name} has only ${images} ${images === 1 ? 'image' : 'images'}. ${FEW} are little, 50 are good.`,
    ];
  });
  const none = `Warning: no image is ${sound}, so the model will look for a defect in every photo.`;
  return defects.includes(sound) ? few : [...few, none];
}
