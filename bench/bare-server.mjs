// The ceiling of accept and poll: a Fastify route that does nothing but answer the bytes that the product would.
import { fastify } from 'fastify';

const { bodies } = await new Promise((resolve) => process.once('message', resolve));
const app = fastify();
const answer = (status, body) => (_request, reply) => {
  reply.code(status).type('application/json; charset=utf-8').send(body);
};
app.post('/predict', answer(202, bodies.accept));
app.get('/result/:task_id', answer(200, bodies.poll));
process.send({ listening: await app.listen({ host: '127.0.0.1', port: 0 }) });
