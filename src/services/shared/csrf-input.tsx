import { CSRF_FIELD } from '../../http/csrf.ts';

export const CsrfInput = ({ csrf }: { csrf: string | undefined }): JSX.Element =>
  csrf === undefined ? '' : <input type="hidden" name={CSRF_FIELD} value={csrf} />;

export function SignOut({ label, action, csrf }: { label: string; action: string; csrf: string }): JSX.Element {
  return (
    <form method="post" action={action}>
      <CsrfInput csrf={csrf} />
      <button type="submit" class="link" safe>
        {label}
      </button>
    </form>
  );
}
