import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { cleanUp, createInstancePlace, freePort, REPOSITORY, startAssay } from '../support/processes/assay.ts';
import { predict, uploadPicture } from '../support/processes/client.ts';
import { waitUntil } from '../support/processes/until.ts';
import { startReceiver } from '../support/receiver.ts';
import { yaml } from '../support/yaml.ts';

vi.setConfig({ testTimeout: 120_000 });
afterEach(cleanUp);

const read = (path: string) => readFile(join(REPOSITORY, path), 'utf8');

describe('The Grafana dashboard and the alert rules', () => {
  const expressions = async () => {
    const rules: { expr: string }[] = yaml
      .parse(await read('deploy/monitoring/alerts.yaml'))
      .groups.flatMap((group: any) => group.rules);
    const { panels } = JSON.parse(await read('deploy/monitoring/grafana-dashboard.json'));
    const targets: { expr: string }[] = panels.flatMap((panel: any) => panel.targets ?? []);
    expect(rules.length).toBeGreaterThan(5);
    expect(targets.length).toBeGreaterThan(15);
    return [...rules, ...targets].map(({ expr }) => expr);
  };

  it('use only metrics and labels that a running product exports', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const place = await createInstancePlace();
    const llm = { LLM_PROVIDER: 'openai', LLM_BASE_URL: 'http://127.0.0.1:1/v1', LLM_MODEL: 'any' };
    const ports = { PASSPORTS_PORT: String(await freePort()), CATALOG_PORT: String(await freePort()) };
    const assay = startAssay(place, { env: { ...llm, ...ports, SERVICES: 'defectoscopy,passports,catalog' } });
    await assay.waitForOutput(/is ready/);
    const response = await predict(assay, await uploadPicture(assay, 1), { webhook_url: `${receiver.url}/hook` });
    expect(response.status).toBe(202);
    await receiver.waitForRequests(1);

    const required = new Set((await expressions()).flatMap((text) => text.match(/\bassay_\w+/g) ?? []));
    let exported = new Map<string, Set<string>>();
    await waitUntil(async () => {
      exported = readMetrics((await assay.call('/metrics')).body);
      // Metrics of other processes arrive with their heartbeats.
      return (
        [...required].every((name) => exported.has(name)) &&
        (exported.get('assay_webhook_attempts_total')?.size ?? 0) > 0
      );
    }).catch(() => {});
    expect([...required].filter((name) => !exported.has(name))).toEqual([]);

    const always = ['job', 'instance', 'le'];
    for (const expression of await expressions()) {
      for (const [, name, selector] of expression.matchAll(/\b(assay_\w+)\{([^}]*)\}/g)) {
        const known = exported.get(name!)!;
        if (known.size === 0) continue; // no samples yet
        for (const [, label] of selector!.matchAll(/(\w+)\s*[!=]/g))
          expect([...known, ...always], expression).toContain(label);
      }
      const grouped = [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, labels]) => labels!.split(', '));
      const names = expression.match(/\bassay_\w+/g) ?? [];
      const labels = new Set(names.flatMap((name) => [...exported.get(name)!]));
      if (labels.size > 0) for (const label of grouped) expect([...labels, ...always], expression).toContain(label);
    }
  });

  it('have expressions with balanced brackets and quotes', async () => {
    for (const expression of await expressions()) {
      const open: string[] = [];
      for (const character of expression.replaceAll(/"[^"]*"/g, '')) {
        if ('([{'.includes(character)) open.push(character);
        if (')]}'.includes(character)) expect('([{'[')]}'.indexOf(character)], expression).toBe(open.pop());
      }
      expect(open, expression).toEqual([]);
      expect(expression.replaceAll(/"[^"]*"/g, ''), expression).not.toContain('"');
    }
  });
});

/** The label names of each metric; a histogram is listed with its suffixes. */
function readMetrics(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, name, kind] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    for (const part of kind === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) found.set(name! + part, new Set());
  }
  for (const [, name, labels] of text.matchAll(/^(assay_\w+)\{([^}]*)\} /gm)) {
    for (const [, label] of labels!.matchAll(/(\w+)="/g)) found.get(name!)?.add(label!);
  }
  return found;
}
