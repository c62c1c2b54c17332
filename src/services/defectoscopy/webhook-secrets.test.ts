import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { tokensFrom } from '../../http/bearer.ts';
import { strangers, webhookSecrets } from './webhook-secrets.ts';

const TOKEN = 'integrator-1';
const NAME = createHash('sha256').update(TOKEN).digest('hex').slice(0, 12);
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const tokens = tokensFrom({ list: `${TOKEN},other` });
const principal = tokens.state === 'enforced' ? tokens.entries[0]!.principal : '';

describe('DEFECTOSCOPY_WEBHOOK_SECRETS', () => {
  it('gives a token its secret by the first 12 hex digits of its SHA-256, as the documentation says', () => {
    expect(webhookSecrets(`${NAME}:${SECRET}`, tokens).get(principal)).toBe(SECRET);
    expect(webhookSecrets(` ${NAME.toUpperCase()}:${SECRET} ,`, tokens).get(principal)).toBe(SECRET);
    expect(webhookSecrets(`${principal}:${SECRET}`, tokens).get(principal)).toBe(SECRET);
    expect(webhookSecrets(undefined, tokens).size).toBe(0);
  });

  it.each([
    [
      'a second secret of one token',
      `${NAME}:${SECRET},${NAME}:${SECRET}`,
      'entry number 2 names a token that an earlier',
    ],
    ['the token in place of its name', `${TOKEN}:${SECRET}`, 'entry number 1 is not written like'],
    ['a secret alone', SECRET, 'is not written like'],
    ['a secret without whsec_', `${NAME}:MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`, 'is not written like'],
    ['a short secret', `${NAME}:whsec_c2hvcnQ=`, 'is not base64 of at least 24 bytes'],
    ['a secret in another alphabet', `${NAME}:whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_`, 'is not base64'],
  ])('does not start with %s, and quotes none of it', (_, text, sentence) => {
    const message = (() => {
      try {
        webhookSecrets(text, tokens);
      } catch (error) {
        return (error as Error).message;
      }
      return '';
    })();
    expect(message).toContain(sentence);
    expect(message).toMatch(/^DEFECTOSCOPY_WEBHOOK_SECRETS: .*\.$/);
    expect(message).not.toMatch(/MfKQ|c2hv|integrator/);
  });

  it('has nobody to belong to where no tokens are asked for', () => {
    expect(() => webhookSecrets(`${NAME}:${SECRET}`, tokensFrom({ authSetting: 'disabled' }))).toThrow(
      'authorization is disabled',
    );
  });

  it('may belong to a token that the settings do not know, since one may have been issued; that is told', () => {
    const secrets = webhookSecrets(`000000000000:${SECRET},${NAME}:${SECRET}`, tokens);
    expect(secrets.get('token-000000000000')).toBe(SECRET);
    expect(strangers(secrets, tokens)).toEqual(['token-000000000000']);
    expect(strangers(secrets, tokensFrom({}))).toEqual(['token-000000000000', principal]);
  });
});
