import { findInputs, type Input } from './review-inputs.ts';

/** To the next or previous input of the form. */
export function moveFocus(from: Input, by: 1 | -1): void {
  const all = findInputs(from.closest('form')!);
  const next = all[all.indexOf(from) + by];
  if (next === undefined) from.blur();
  else focusInput(next);
}

/** Focuses the next or previous field to review, in a circle. Returns false without fields to review. */
export function focusReview(form: Element, by: 1 | -1): boolean {
  const all = findInputs(form);
  const from = all.indexOf(document.activeElement as Input);
  const toReview = all.filter((input) => 'review' in input.dataset);
  const next =
    by === 1
      ? (toReview.find((input) => all.indexOf(input) > from) ?? toReview[0])
      : (toReview.findLast((input) => all.indexOf(input) < from) ?? toReview.at(-1));
  if (next !== undefined) focusInput(next);
  return next !== undefined;
}

export function focusInput(input: Input): void {
  input.focus();
  if (input instanceof HTMLInputElement && input.type === 'text') input.select();
}
