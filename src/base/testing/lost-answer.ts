import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** A way to a database on which answers get lost. */
export interface Lossy {
  readonly url: string;
  /** While it is true: the server commits, and whoever asked for it finds the connection gone. */
  losesCommits: boolean;
  close(): void;
}

const COMMIT = 'commit\0';

export async function lossyWayTo(url: string): Promise<Lossy> {
  const to = new URL(url);
  const server = createServer((near) => {
    const far = connect({ host: to.hostname, port: Number(to.port) });
    let loses = false;
    near.on('data', (asked) => {
      loses = lossy.losesCommits && asked.includes(COMMIT);
      far.write(asked);
    });
    far.on('data', (answer) => {
      if (loses) near.destroy();
      else near.write(answer);
    });
    near.on('error', () => {}).on('close', () => far.destroy());
    far.on('error', () => {}).on('close', () => near.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  const lossy: Lossy = { url: through.href, losesCommits: false, close: () => server.close() };
  return lossy;
}
