// One worker process of one contender: `worker.mjs ENGINE '{"queue":…}'`. Told `begin` it works, told `rest` it rests.
const [engine, options] = process.argv.slice(2);
process.once('disconnect', () => process.exit());
const { openWorker } = await import(`../engines/${engine}.mjs`);
const worker = await openWorker({ url: process.env.STORE_URL, ...JSON.parse(options) });
process.on('message', async (what) => {
  await worker[what]();
  process.send({ did: what });
});
process.send({ ready: true });
