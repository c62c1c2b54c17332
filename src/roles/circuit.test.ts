import { expect, it } from 'vitest';
import { createCircuit } from './circuit.ts';

const to = (origin: string, id: string, attempt = 1) => ({ id, origin, attempt });

it('the circuit breaker defers the first attempt of a new delivery once after 20 consecutive failures within an hour', () => {
  let now = 0;
  const circuit = createCircuit(() => now);
  for (let i = 0; i < 19; i++) circuit.note('a', 'pending');
  expect(circuit.putsOff(to('a', 'd1'))).toBe(false);
  circuit.note('a', 'failed');
  expect(circuit.putsOff(to('b', 'd2'))).toBe(false);
  expect(circuit.putsOff(to('a', 'd3', 2))).toBe(false);
  expect(circuit.putsOff(to('a', 'd4'))).toBe(true);
  expect(circuit.putsOff(to('a', 'd4'))).toBe(false);
  now = 3_600_001;
  expect(circuit.putsOff(to('a', 'd5'))).toBe(false);
});

it('the circuit breaker closes after one success', () => {
  const circuit = createCircuit(() => 0);
  for (let i = 0; i < 20; i++) circuit.note('a', 'pending');
  circuit.note('a', 'delivered');
  expect(circuit.putsOff(to('a', 'd1'))).toBe(false);
});

it('the circuit breaker forgets failures after an hour and remembers a bounded number of origins and deliveries', () => {
  let now = 0;
  const circuit = createCircuit(() => now);
  for (let i = 0; i < 20_000; i++) circuit.note(`origin-${i}`, 'pending');
  expect(circuit.size()).toBe(10_000);
  now = 3_600_001;
  for (let i = 0; i < 20; i++) circuit.note('a', 'pending');
  expect(circuit.size()).toBe(1);
  for (let i = 0; i < 20_000; i++) circuit.putsOff(to('a', `d${i}`));
  expect(circuit.size()).toBe(10_001);
});
