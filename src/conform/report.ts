import { formatRequest, formatResponse } from './exchange.ts';
import type { CheckResult } from './run.ts';

export function formatResult(result: CheckResult): string[] {
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
        ...(exchange ? [`    request    ${formatRequest(exchange)}`] : []),
        `    expected   ${result.expected}`,
        ...(exchange ? [`    response   ${formatResponse(exchange)}`] : []),
      ];
    }
  }
}

export function formatSummary(results: readonly CheckResult[]): string {
  const count = (outcome: CheckResult['outcome']) => results.filter((result) => result.outcome === outcome).length;
  return `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped, of ${results.length} checks`;
}

export function resultToJson(result: CheckResult): object {
  const { check, outcome } = result;
  const [section, words] = check.cites;
  const common = { id: check.id, title: check.title, section, words, outcome };
  if (result.outcome === 'passed') return common;
  if (result.outcome === 'skipped') return { ...common, reason: result.reason };
  const { expected, exchange } = result;
  return {
    ...common,
    expected,
    ...(exchange && { request: formatRequest(exchange), response: formatResponse(exchange) }),
  };
}
