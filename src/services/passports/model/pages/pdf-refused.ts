import type { PdfProblem } from './pdfium-document.ts';

/** A PDF that will not be read, whoever tries again. */
export class PdfRefused extends Error {
  override readonly name = 'PdfRefused';
  readonly problem: PdfProblem;

  constructor(problem: PdfProblem) {
    super(SENTENCES[problem]);
    this.problem = problem;
  }
}

const SENTENCES: Record<PdfProblem, string> = {
  encrypted: 'The PDF is protected by a password.',
  corrupt: 'The PDF is damaged: none of its pages can be opened.',
  too_many_pages: 'The PDF has too many pages.',
  too_complex: 'The PDF takes too much time or memory to read.',
  unsupported: 'The file is not a PDF with pages.',
};
