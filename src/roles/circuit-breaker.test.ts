import { expect, it } from 'vitest';
import { createCircuitBreaker } from './circuit-breaker.ts';

const to = (origin: string, id: string, attempt = 1) => ({ id, origin, attempt });

it('the circuit breaker defers the first attempt of a new delivery once after 20 consecutive failures within an hour', () => {
  let now = 0;
  const circuit = createCircuitBreaker(() => now);
  for (let i = 0; i < 19; i++) circuit.record('a', 'pending');
  expect(circuit.shouldDefer(to('a', 'd1'))).toBe(false);
  circuit.record('a', 'failed');
  expect(circuit.shouldDefer(to('b', 'd2'))).toBe(false);
  expect(circuit.shouldDefer(to('a', 'd3', 2))).toBe(false);
  expect(circuit.shouldDefer(to('a', 'd4'))).toBe(true);
  expect(circuit.shouldDefer(to('a', 'd4'))).toBe(false);
  now = 3_600_001;
  expect(circuit.shouldDefer(to('a', 'd5'))).toBe(false);
});

it('the circuit breaker closes after one success', () => {
  const circuit = createCircuitBreaker(() => 0);
  for (let i = 0; i < 20; i++) circuit.record('a', 'pending');
  circuit.record('a', 'delivered');
  expect(circuit.shouldDefer(to('a', 'd1'))).toBe(false);
});

it('the circuit breaker forgets failures after an hour and remembers a bounded number of origins and deliveries', () => {
  let now = 0;
  const circuit = createCircuitBreaker(() => now);
  for (let i = 0; i < 20_000; i++) circuit.record(`origin-${i}`, 'pending');
  expect(circuit.size()).toBe(10_000);
  now = 3_600_001;
  for (let i = 0; i < 20; i++) circuit.record('a', 'pending');
  expect(circuit.size()).toBe(1);
  for (let i = 0; i < 20_000; i++) circuit.shouldDefer(to('a', `d${i}`));
  expect(circuit.size()).toBe(10_001);
});
