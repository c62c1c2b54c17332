// A worker process: `worker.mjs ENGINE '{"queue":…}'`. Accepts the commands `start` and `stop`.
const [engine, options] = process.argv.slice(2);
process.once('disconnect', () => process.exit());
const { openWorker } = await import(`../engines/${engine}.mjs`);
const worker = await openWorker({ url: process.env.STORE_URL, ...JSON.parse(options) });
process.on('message', async (name) => {
  await worker[name]();
  process.send({ done: name });
});
process.send({ ready: true });
