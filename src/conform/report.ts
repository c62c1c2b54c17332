import { askedLine, cameLine } from './exchange.ts';
import type { Verdict } from './run.ts';

export function verdictLines(result: Verdict): string[] {
  const { check } = result;
  switch (result.outcome) {
    case 'passed':
      return [`✓ ${check.id}  ${check.title}`];
    case 'skipped':
      return [`– ${check.id}  skipped: ${result.reason}`];
    case 'failed': {
      const [section, words] = check.cites;
      const { exchange } = result;
      return [
        `✗ ${check.id}  ${check.title}`,
        `    section ${section}  “${words}”`,
        ...(exchange ? [`    request    ${askedLine(exchange)}`] : []),
        `    expected   ${result.expected}`,
        ...(exchange ? [`    response   ${cameLine(exchange)}`] : []),
      ];
    }
  }
}

export function summaryLine(results: readonly Verdict[]): string {
  const count = (outcome: Verdict['outcome']) => results.filter((result) => result.outcome === outcome).length;
  return `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped, of ${results.length} checks`;
}

export function verdictJson(result: Verdict): object {
  const { check, outcome } = result;
  const [section, words] = check.cites;
  const common = { id: check.id, title: check.title, section, words, outcome };
  if (result.outcome === 'passed') return common;
  if (result.outcome === 'skipped') return { ...common, reason: result.reason };
  const { expected, exchange } = result;
  return { ...common, expected, ...(exchange && { asked: askedLine(exchange), came: cameLine(exchange) }) };
}
