import type { TrainingReport } from '../deployment-schema.ts';
import { type Comparison, shownClasses } from './comparison.ts';
import { round } from './write.ts';
import type { CorrectedVersion } from './write-corrected.ts';

/** The figures of a new version for the API. */
export const reportOf = ({ base, photos, comparisons }: CorrectedVersion): TrainingReport => ({
  base: base.version,
  photos,
  heads: Object.entries(comparisons).map(([head, { heldBack, test }]) => ({
    ...{ head, held_back: reported(heldBack), test: reported(test) },
  })),
});

type ReportedComparison = TrainingReport['heads'][number]['test'];

const reported = (comparison: Comparison): ReportedComparison => ({
  photos: comparison.images,
  accuracy: comparison.images === 0 ? {} : change(comparison.before.accuracy, comparison.after.accuracy),
  classes: shownClasses(comparison).map(({ before, after }) => ({
    ...{ name: after.label, photos: after.support },
    recall: change(before.recall, after.recall),
    precision: change(before.precision, after.precision),
  })),
});

const change = (before: number | undefined, after: number | undefined): ReportedComparison['accuracy'] => ({
  ...(before !== undefined && { before: round(before) }),
  ...(after !== undefined && { after: round(after) }),
});
