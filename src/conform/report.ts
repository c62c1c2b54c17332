import { askedLine, cameLine } from './exchange.ts';
import type { Verdict } from './run.ts';

/** A line for a check, and for one that fails what was expected by which sentence, what was asked and what came. */
export function verdictLines(verdict: Verdict): string[] {
  const { check } = verdict;
  switch (verdict.outcome) {
    case 'passed':
      return [`✓ ${check.id}  ${check.title}`];
    case 'skipped':
      return [`– ${check.id}  skipped: ${verdict.reason}`];
    case 'failed': {
      const [section, words] = check.cites;
      const { exchange } = verdict;
      return [
        `✗ ${check.id}  ${check.title}`,
        `    section ${section}  “${words}”`,
        ...(exchange ? [`    asked      ${askedLine(exchange)}`] : []),
        `    expected   ${verdict.expected}`,
        ...(exchange ? [`    came       ${cameLine(exchange)}`] : []),
      ];
    }
  }
}

/** How many passed, failed and were skipped, in one line. */
export function summaryLine(verdicts: readonly Verdict[]): string {
  const count = (outcome: Verdict['outcome']) => verdicts.filter((verdict) => verdict.outcome === outcome).length;
  return `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped, of ${verdicts.length} checks`;
}

/** The same for programs. */
export function verdictJson(verdict: Verdict): object {
  const { check, outcome } = verdict;
  const [section, words] = check.cites;
  const told = { id: check.id, title: check.title, section, words, outcome };
  if (verdict.outcome === 'passed') return told;
  if (verdict.outcome === 'skipped') return { ...told, reason: verdict.reason };
  const { expected, exchange } = verdict;
  return { ...told, expected, ...(exchange && { asked: askedLine(exchange), came: cameLine(exchange) }) };
}
