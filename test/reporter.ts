import type { Reporter, TestModule } from 'vitest/node';

/** Closes a run with one plain line, and under ASSAY_REQUIRE=all makes every skipped test a failure. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const broken = modules.filter((module) => module.state() === 'failed' && count('failed') === 0).length;
    const skipped = tests.filter((test) => test.result().state === 'skipped');
    console.log(`\n${count('passed')} passed, ${count('failed') + broken} failed, ${skipped.length} skipped`);
    if (process.env['ASSAY_REQUIRE'] !== 'all' || skipped.length === 0) return;
    for (const test of skipped) console.error(`skipped, though everything is required: ${test.fullName}`);
    process.exitCode = 1;
  }
}
