import { setTimeout as delay } from 'node:timers/promises';
import { predict } from '../client.mjs';
import { taskInput } from '../engines/task.mjs';

const CLIENTS = 64;

export async function loss({ contender, url }) {
  await contender.clear();
  const acknowledged = [];
  let over = false;
  const client = async () => {
    while (!over) {
      const id = await predict(url, taskInput()).catch(() => undefined);
      if (id === undefined) return;
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
  return { acknowledged: ids.length, lost: ids.length - (await contender.countStored(ids)) };
}
