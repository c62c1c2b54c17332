import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseTokenSettings } from '../../http/bearer.ts';
import { unknownPrincipals, webhookSecrets } from './webhook-secrets.ts';

const TOKEN = 'integrator-1';
const NAME = createHash('sha256').update(TOKEN).digest('hex').slice(0, 12);
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const NEXT = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const tokens = parseTokenSettings({ list: `${TOKEN},other` });
const principal = tokens.state === 'enforced' ? tokens.entries[0]!.principal : '';

describe('DEFECTOSCOPY_WEBHOOK_SECRETS', () => {
  it('assigns a secret by the first 12 hex digits of the SHA-256 of the token', () => {
    expect(webhookSecrets(`${NAME}:${SECRET}`, tokens).get(principal)).toEqual([SECRET]);
    expect(webhookSecrets(` ${NAME.toUpperCase()}:${SECRET} ,`, tokens).get(principal)).toEqual([SECRET]);
    expect(webhookSecrets(`${principal}:${SECRET}`, tokens).get(principal)).toEqual([SECRET]);
    expect(webhookSecrets(undefined, tokens).size).toBe(0);
  });

  it('assigns two secrets to a token during a rotation', () => {
    const secrets = webhookSecrets(`${NAME}:${NEXT},${NAME}:${SECRET}`, tokens);
    expect(secrets.get(principal)).toEqual([NEXT, SECRET]);
  });

  it.each([
    ['a repeated secret', `${NAME}:${SECRET},${NAME}:${SECRET}`, 'entry 2 repeats'],
    [
      'a third secret of one token',
      [SECRET, NEXT, NEXT].map((each) => `${NAME}:${each}`).join(),
      'entry 3 is the third one',
    ],
    ['the token in place of its name', `${TOKEN}:${SECRET}`, 'entry 1 must have the form'],
    ['a secret alone', SECRET, 'must have the form'],
    ['a secret without whsec_', `${NAME}:MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`, 'must have the form'],
    ['a short secret', `${NAME}:whsec_c2hvcnQ=`, 'is not base64 of at least 24 bytes'],
    ['a secret in another alphabet', `${NAME}:whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_`, 'is not base64'],
  ])('rejects %s without quoting it', (_, text, expected) => {
    const message = (() => {
      try {
        webhookSecrets(text, tokens);
      } catch (error) {
        return (error as Error).message;
      }
      return '';
    })();
    expect(message).toContain(expected);
    expect(message).toMatch(/^DEFECTOSCOPY_WEBHOOK_SECRETS: .*\.$/);
    expect(message).not.toMatch(/MfKQ|c2hv|BwcH|integrator/);
  });

  it('is rejected while authorization is disabled', () => {
    expect(() => webhookSecrets(`${NAME}:${SECRET}`, parseTokenSettings({ authSetting: 'disabled' }))).toThrow(
      'authorization is disabled',
    );
  });

  it('accepts and reports a token that is not configured, because it may have been issued', () => {
    const secrets = webhookSecrets(`000000000000:${SECRET},${NAME}:${SECRET}`, tokens);
    expect(secrets.get('token-000000000000')).toEqual([SECRET]);
    expect(unknownPrincipals(secrets, tokens)).toEqual(['token-000000000000']);
    expect(unknownPrincipals(secrets, parseTokenSettings({}))).toEqual(['token-000000000000', principal]);
  });
});
