// `node bench/batches.mjs [--items 10000] [--runs 5]`: wall time, and CPU time of gateway and PostgreSQL, per accepted task: of one
// batch in JSON lines, in ratio to as many single requests of 64 clients, whose tasks the gateway stores in micro-batches.
import './help.mjs';
import autocannon from 'autocannon';
import { CLIENTS, median, openBench, option, TOKEN } from './lib.mjs';

const items = option('items', 10_000);
const runs = option('runs', 5);
const bench = await openBench();
const { child, message } = await bench.start('serve');
const url = message.listening.defectoscopy;
const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
const body = JSON.stringify({
  ...{ image_url: 'https://files.assay.internal/01KAF3M9WZ7Y5T2Q8C4N6B1D0E', priority: 'batch' },
});
const lines = `${body}\n`.repeat(items);

// The load generator ends at the end of a sample.
async function single(amount) {
  const { non2xx, errors } = await autocannon({
    ...{ url: `${url}/predict`, method: 'POST', headers, body, connections: CLIENTS, amount, sampleInt: 20 },
  });
  if (non2xx + errors > 0) throw new Error(`${non2xx} error responses, ${errors} errors`);
  return amount;
}

async function batch() {
  const response = await fetch(`${url}/batches`, {
    ...{ method: 'POST', body: lines, headers: { ...headers, 'content-type': 'application/x-ndjson' } },
  });
  const { data, error } = await response.json();
  if (data?.total !== items) throw new Error(`the batch was not accepted: ${error?.message}`);
  return items;
}

const CASES = [
  [`${items} requests, ${CLIENTS} clients`, () => single(items)],
  [`one batch of ${items}`, batch],
];
/** CPU time of both processes. */
const withCpu = ({ wall, gateway, database }) => ({ wall, gateway, database, cpu: gateway + database });
const show = (name, costs, digits) =>
  console.log(
    `${name.padEnd(32)}${Object.values(costs)
      .map((value) => value.toFixed(digits).padStart(13))
      .join('')}`,
  );

try {
  await single(1000);
  await batch();
  console.log(`${''.padEnd(32)}      wall µs   gateway µs  database µs      both µs`);
  const rows = CASES.map(() => []);
  for (let run = 0; run < runs; run++) {
    for (const [at, [name, accept]] of CASES.entries()) {
      await bench.db.query('checkpoint');
      const { perOperation } = await bench.measured(child, accept);
      rows[at].push(withCpu(perOperation));
      show(name, rows[at].at(-1), 1);
    }
  }
  const [singles, batches] = rows;
  const ratios = batches.map((costs, run) =>
    Object.fromEntries(Object.entries(costs).map(([key, value]) => [key, value / singles[run][key]])),
  );
  const keys = Object.keys(ratios[0]);
  const medians = Object.fromEntries(keys.map((key) => [key, median(ratios.map((ratio) => ratio[key]))]));
  show('ratio, median of the runs', medians, 2);
} finally {
  await bench.close();
}
