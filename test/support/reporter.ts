import type { Reporter, TestModule } from 'vitest/node';

/** Prints a summary line at the end of a run; with ASSAY_REQUIRE=all every skipped test is a failure. */
export default class SummaryReporter implements Reporter {
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
