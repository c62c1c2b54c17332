import { SettingsProblem, split } from '../../base/settings.ts';

/** `<principal>:whsec_…` entries; a principal is the short name that a token has in logs and in the database. */
export function webhookSecrets(text: string | undefined): ReadonlyMap<string, string> {
  const entries = split(text ?? '').map((entry): [string, string] => {
    const colon = entry.indexOf(':');
    const secret = entry.slice(colon + 1);
    if (colon < 1 || secret === '')
      throw new SettingsProblem('DEFECTOSCOPY_WEBHOOK_SECRETS: each entry must be name:secret.');
    return [entry.slice(0, colon), secret];
  });
  return new Map(entries);
}
