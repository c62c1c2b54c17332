import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';

/** A certificate authority for one test run, so that the repository contains no keys and nothing expires. */
export function createAuthority(): { ca: string; issue: (...names: string[]) => { key: string; cert: string } } {
  const own = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const ca = certificate({
    subject: 'Test authority',
    publicKey: own.publicKey,
    signer: own.privateKey,
    authority: true,
  });
  return {
    ca,
    issue(...names) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
      const cert = certificate({ subject: names[0]!, publicKey, signer: own.privateKey, authority: false, names });
      return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, cert };
    },
  };
}

interface Subject {
  subject: string;
  publicKey: KeyObject;
  signer: KeyObject;
  authority: boolean;
  names?: string[];
}

/** X.509 v3 in PEM. */
function certificate({ subject, publicKey, signer, authority, names = [] }: Subject): string {
  const day = (offset: number) => {
    const text = new Date(Date.now() + offset * 86_400_000).toISOString();
    return der(0x18, Buffer.from(`${text.replace(/\D/g, '').slice(0, 14)}Z`));
  };
  const basicConstraints = der(0x30, hex('0603551d13'), der(0x04, der(0x30, authority ? hex('0101ff') : hex(''))));
  const altNames = der(0x30, hex('0603551d11'), der(0x04, der(0x30, ...names.map(altName))));
  const body = der(
    0x30,
    hex('a003020102'), // version 3
    der(0x02, Buffer.concat([hex('01'), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    commonName('Test authority'),
    der(0x30, day(-1), day(3650)),
    commonName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, basicConstraints, ...(names.length > 0 ? [altNames] : []))),
  );
  const signature = der(0x03, hex('00'), sign('sha256', body, signer));
  const text = der(0x30, body, ECDSA_WITH_SHA256, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${text.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

const hex = (text: string) => Buffer.from(text, 'hex');
const ECDSA_WITH_SHA256 = hex('300a06082a8648ce3d040302');

function der(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const length =
    value.length < 128
      ? [value.length]
      : value.length < 256
        ? [0x81, value.length]
        : [0x82, value.length >> 8, value.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), value]);
}

function commonName(name: string): Buffer {
  return der(0x30, der(0x31, der(0x30, hex('0603550403'), der(0x0c, Buffer.from(name)))));
}

function altName(name: string): Buffer {
  if (isIPv4(name)) return der(0x87, Buffer.from(name.split('.').map(Number)));
  if (isIPv6(name) && name === '::1') return der(0x87, Buffer.concat([Buffer.alloc(15), hex('01')]));
  return der(0x82, Buffer.from(name));
}
