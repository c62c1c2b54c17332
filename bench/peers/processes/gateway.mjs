// Gateway for contenders without their own: `gateway.mjs ENGINE '{"queue":…,"limitPerMinute":0}'`.
import { openGateway } from './contract.mjs';

const [engine, options] = process.argv.slice(2);
process.once('disconnect', () => process.exit());
const { limitPerMinute, ...rest } = JSON.parse(options);
const { openQueue } = await import(`../engines/${engine}.mjs`);
const queue = await openQueue({ url: process.env.STORE_URL, ...rest });
const app = openGateway(queue, { token: process.env.TOKEN, limitPerMinute });
process.send({ listening: await app.listen({ host: '127.0.0.1', port: 0 }) });
