/** An error that the operator can fix; shown without a stack, so the message must be complete. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}
