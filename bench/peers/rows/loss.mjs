// `kill -9` of the store while 64 clients have tasks accepted at full speed: of those acknowledged, how many are gone.
import { setTimeout as delay } from 'node:timers/promises';
import { predict } from '../client.mjs';
import { asked } from '../engines/task.mjs';

const CLIENTS = 64;

export async function loss({ contender, url }) {
  await contender.clear();
  const acknowledged = [];
  let over = false;
  const client = async () => {
    while (!over) {
      const id = await predict(url, asked()).catch(() => undefined);
      if (id === undefined) return; // the store is gone: what was not acknowledged was not promised
      acknowledged.push(id);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  await delay(1200 + Math.random() * 500);
  contender.killStore();
  over = true;
  await Promise.race([clients, delay(5000)]);
  const ids = [...new Set(acknowledged)];
  await contender.restartStore();
  return { acknowledged: ids.length, lost: ids.length - (await contender.found(ids)) };
}
