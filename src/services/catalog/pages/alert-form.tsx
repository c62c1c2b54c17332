import type { FastifyRequest } from 'fastify';
import { Button, Span } from '../../../ui/text-elements.tsx';
import { CsrfInput } from '../../shared/csrf-input.tsx';
import { type FormFields, textIn } from '../../shared/rejected-form.tsx';
import type { Frame, Viewer } from './frame.tsx';

/** Sets or changes the alert of a view. */
export function AlertForm(props: {
  action: string;
  url: string;
  /** Whether the alert exists. */
  isOn: boolean;
  viewer: Viewer;
}): JSX.Element {
  const { action, url, isOn, viewer } = props;
  const { words, csrf } = viewer;
  return (
    <form method="post" action={action} class="fields">
      <CsrfInput csrf={csrf} />
      <label>
        <span safe>{words.alertUrl}</span>
        <input name="webhook_url" type="url" maxlength="2048" value={url} />
      </label>
      <label>
        <span safe>{words.alertSecret}</span>
        <input name="secret" type="password" maxlength="512" autocomplete="off" placeholder={words.alertSecretHint} />
        <Span class="hint" text={isOn ? words.alertSecretEmpty : words.alertSecretNone} />
      </label>
      <Button type="submit" class="small" text={isOn ? words.alertChange : words.alertSave} />
    </form>
  );
}

/** The form of a rejected alert without its secret; nothing for other forms. */
export function rejectedAlertForm(frame: Frame, fields: FormFields, request: FastifyRequest): JSX.Element {
  if (request.routeOptions.url !== '/views/:id/alert') return '';
  const form = { action: 'alert', url: textIn(fields, 'webhook_url'), isOn: true };
  return <AlertForm {...form} viewer={frame.viewer(request)} />;
}
