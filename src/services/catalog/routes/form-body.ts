import type { FastifyRequest } from 'fastify';
import { CSRF_FIELD } from '../../../http/csrf.ts';
import type { Form } from '../../../http/forms.ts';
import type { AuthGuard } from '../auth/auth-guard.ts';

/** For `preValidation`: checks the CSRF token and makes the form an object without empty fields. */
export function readForm(request: FastifyRequest, { checkForm }: Pick<AuthGuard, 'checkForm'>): void {
  const form = (request.body as Form | undefined) ?? new Map<string, string>();
  checkForm(request, form);
  request.body = Object.fromEntries([...form].filter(([name, text]) => name !== CSRF_FIELD && text !== ''));
}
