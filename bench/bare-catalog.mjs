// Baseline for searches: a Fastify route that returns the 50 newest records.
import { fastify } from 'fastify';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const app = fastify();
app.get('/search', async () => {
  const { rows } = await pool.query(
    `select record_id, service, task_id, status, created_at, title, surface, master, master_conf, defects
       from catalog_records where not hidden order by created_at desc, number desc limit 50`,
  );
  return { items: rows };
});
process.send({ listening: await app.listen({ host: '127.0.0.1', port: 0 }) });
