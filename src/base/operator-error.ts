/** A condition that the operator can mend: its message is the whole sentence they need, and no stack is shown. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}
