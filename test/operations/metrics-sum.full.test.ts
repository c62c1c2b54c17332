import { afterEach, describe, expect, it, vi } from 'vitest';
import { cleanUp, createInstancePlace, signalTo, startAssay } from '../support/processes/assay.ts';
import { predict, uploadPicture } from '../support/processes/client.ts';
import { waitUntil } from '../support/processes/until.ts';
import { createFakeModel, type Product, startProduct } from '../support/product.ts';

vi.setConfig({ testTimeout: 120_000 });

function sampleIn(text: string, name: string, ...labels: string[]): number {
  const line = text.split('\n').find((each) => each.startsWith(`${name}{`) && labels.every((l) => each.includes(l)));
  return Number(line?.split(' ').at(-1));
}

describe('GET /metrics', () => {
  describe('of a product in one process', () => {
    let product: Product;
    afterEach(() => product.stop());

    it('keeps the counts of workers that have stopped', async () => {
      product = await startProduct();
      const counted = async () => {
        const { text } = await product.call('/metrics');
        return [
          sampleIn(text, 'assay_tasks_total', 'service="defectoscopy"', 'status="done"'),
          sampleIn(text, 'assay_task_attempts_total', 'service="defectoscopy"', 'outcome="done"'),
          sampleIn(text, 'assay_task_processing_seconds_count', 'service="defectoscopy"'),
        ];
      };
      for (let worker = 1; worker <= 2; worker++) {
        const stop = await product.startWorker(createFakeModel());
        for (let i = 0; i < 3; i++) await product.waitForResult(await product.predict());
        await vi.waitFor(async () => expect(await counted()).toEqual([3, 3, 3].map((n) => n * worker)), 10_000);
        await stop();
        expect(await counted()).toEqual([3, 3, 3].map((n) => n * worker));
      }
    });
  });

  describe('of separate processes', () => {
    afterEach(cleanUp);

    it('keeps the counts of a gateway that was killed and restarted', async () => {
      const assay = startAssay(await createInstancePlace());
      await assay.waitForOutput(/is ready/);
      signalTo(await assay.child('work'), 'SIGSTOP');
      const picture = await uploadPicture(assay, 1);
      const cancelled = async () => {
        const { task_id } = (await predict(assay, picture)).body.data;
        return (await assay.call(`/result/${task_id}/cancel`, { body: {} })).status;
      };
      expect([await cancelled(), await cancelled()]).toEqual([200, 200]);
      const failed = async () => sampleIn((await assay.call('/metrics')).body, 'assay_tasks_total', 'status="failed"');
      expect(await failed()).toBe(2);
      await new Promise((resolve) => setTimeout(resolve, 3000)); // two heartbeats
      const killed = await assay.child('serve');
      signalTo(killed, 'SIGKILL');
      await waitUntil(async () => (await assay.child('serve')) !== killed);
      await waitUntil(() => assay.call('/health').then(Boolean, () => false));
      expect(await failed()).toBe(2);
      expect(await cancelled()).toBe(200);
      expect(await failed()).toBe(3);
    });
  });
});
