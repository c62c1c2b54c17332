import { OperatorError } from '../../../base/operator-error.ts';

/** A training that the operator or a reviewer can make possible. */
export class TrainingError extends OperatorError {
  readonly code: 'TOO_FEW_CORRECTIONS' | 'ONE_CLASS' | 'VERSION_EXISTS';

  constructor(code: TrainingError['code'], message: string) {
    super(message);
    this.code = code;
  }
}
