// Exits with 0 if every listener of this container responds to /livez, otherwise with 1.
const PORTS = { defectoscopy: 8001, stt: 8002, passports: 8003, catalog: 8004 };

const configured = (process.env.SERVICES ?? '').split(',').flatMap((name) => name.trim() || []);
const services = configured.length > 0 ? configured : Object.keys(PORTS);
const checks = services.map(async (service) => {
  const port = process.env[`${service.toUpperCase()}_PORT`] || PORTS[service];
  const response = await fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(4000) });
  if (!response.ok) throw new Error(`${service} responds with ${response.status}`);
});
await Promise.all(checks).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
