// Ends with 0 where every listener of this container answers that it is alive, and with 1 otherwise.
const PORTS = { defectoscopy: 8001, stt: 8002, passports: 8003, catalog: 8004 };

const named = (process.env.SERVICES ?? '').split(',').flatMap((name) => name.trim() || []);
const services = named.length > 0 ? named : Object.keys(PORTS);
const answers = services.map(async (service) => {
  const port = process.env[`${service.toUpperCase()}_PORT`] || PORTS[service];
  const answer = await fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(4000) });
  if (!answer.ok) throw new Error(`${service} answers ${answer.status}`);
});
await Promise.all(answers).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
