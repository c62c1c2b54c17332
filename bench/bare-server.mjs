// Baseline for accept and poll: a Fastify route that returns fixed bodies.
import { fastify } from 'fastify';

const { bodies } = await new Promise((resolve) => process.once('message', resolve));
const app = fastify();
const respondWith = (status, body) => (_request, reply) => {
  reply.code(status).type('application/json; charset=utf-8').send(body);
};
app.post('/predict', respondWith(202, bodies.accept));
app.get('/result/:task_id', respondWith(200, bodies.poll));
process.send({ listening: await app.listen({ host: '127.0.0.1', port: 0 }) });
