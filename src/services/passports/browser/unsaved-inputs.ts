import { findInputs, isChanged } from './review-inputs.ts';

/** Whether the form has values that are typed, wait to be saved, are being saved, or were rejected. */
export const hasUnsavedInputs = (form: Element): boolean => findInputs(form).some(isChanged);
