import { CSRF_FIELD } from '../../../http/csrf.ts';

/** Nobody's session has no word to carry. */
export const Word = ({ csrf }: { csrf: string | undefined }): JSX.Element =>
  csrf === undefined ? '' : <input type="hidden" name={CSRF_FIELD} value={csrf} />;
