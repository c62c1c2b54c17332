import type { CompletedDocument } from './documents.ts';
import type { PresentedField } from './present.ts';

/** Why a person should check a value. */
export const REVIEW_REASONS = ['low_confidence', 'failed_check', 'sources_disagree'] as const;
export type ReviewReason = (typeof REVIEW_REASONS)[number];

/** Values with a lower confidence, or without one, are checked by a person. */
export const REVIEW_CONFIDENCE = 0.95;

export interface ReviewItem {
  readonly field: PresentedField;
  readonly reasons: readonly ReviewReason[];
}

/** The fields to check, in schema order: without those that a person corrected, and none of a confirmed document. */
export function listReview(opened: CompletedDocument, fields: readonly PresentedField[]): readonly ReviewItem[] {
  if (opened.confirmation !== null) return [];
  const failed = new Set(opened.extraction.warnings.flatMap((warning) => warning.fields ?? []));
  return fields.flatMap((field) => {
    if (field.editedAt !== null || field.value === null) return [];
    const applies: Record<ReviewReason, boolean> = {
      low_confidence: (field.confidence ?? 0) < REVIEW_CONFIDENCE,
      failed_check: failed.has(field.storedKey),
      sources_disagree: field.disagrees,
    };
    const reasons = REVIEW_REASONS.filter((reason) => applies[reason]);
    return reasons.length > 0 ? [{ field, reasons }] : [];
  });
}

/** Whether the current version is confirmed: an edit needs a new confirmation. */
export const isConfirmed = ({ confirmation, version }: CompletedDocument): boolean => confirmation?.version === version;
