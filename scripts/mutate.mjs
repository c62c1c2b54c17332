// `node scripts/mutate.mjs [part of a path …]`: mutation testing of security-critical modules. Prints the score of each file
// and the surviving mutants; exits with 1 if a score is below 90 %.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { EQUIVALENT } from '../test/mutation/equivalent.mjs';
import { mutantsOf } from '../test/mutation/mutants.mjs';
import { TARGETS } from '../test/mutation/targets.mjs';
import { exitWithUsage, parseScriptOptions } from './script-options.mjs';

const MIN_SCORE = 0.9;
/** A mutant without output for this time is killed. */
const TIMEOUT_MS = 90_000;

const USAGE = `usage: node scripts/mutate.mjs [part of a path …]
Mutates the modules whose path contains one of these parts (default: all ${TARGETS.length}) and prints the surviving mutants.`;
const { words: pathParts } = parseScriptOptions(USAGE, {}, { words: true });
const targets = TARGETS.filter(({ file }) => pathParts.length === 0 || pathParts.some((part) => file.includes(part)));
if (targets.length === 0)
  exitWithUsage(`No module has ${pathParts.join(' or ')} in its path:\n${TARGETS.map(({ file }) => file).join('\n')}`);
let failed = false;
let running;
// The trial runs in its own process group, which does not receive signals to this process.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    if (running?.exitCode === null) process.kill(-running.pid, 'SIGKILL');
    process.exit(1);
  });
}
for (const target of targets) {
  const { killed, total, equivalent, survivors } = await scoreOf(target);
  const score = total === 0 ? 1 : killed / total;
  failed ||= score < MIN_SCORE;
  console.log(`${target.file}: ${(100 * score).toFixed(1)} % (${killed} of ${total}; ${equivalent} equivalent)`);
  for (const { line, was, becomes } of survivors) console.log(`  ${line}: ${oneLine(was)} -> ${oneLine(becomes)}`);
}
process.exitCode = failed ? 1 : 0;

async function scoreOf({ file }) {
  const text = readFileSync(file, 'utf8');
  const mutants = mutantsOf(text);
  const lines = text.split('\n');
  const isEquivalent = ({ line, was, becomes }) =>
    EQUIVALENT.some(
      (each) =>
        each.file === file &&
        lines[line - 1].includes(each.on) &&
        oneLine(was) === each.was &&
        oneLine(becomes) === each.becomes,
    );
  const survived = new Set();
  for (let next = 0; next < mutants.length; ) next = await tryFrom(file, next, survived);
  const equivalent = [...survived].filter((i) => isEquivalent(mutants[i]));
  const survivors = [...survived].filter((i) => !isEquivalent(mutants[i])).map((i) => mutants[i]);
  const total = mutants.length - equivalent.length;
  return { killed: total - survivors.length, total, equivalent: equivalent.length, survivors };
}

/** Tries mutants from `from` on; returns the next index, which follows a mutant that did not end. */
function tryFrom(file, from, survived) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['test/mutation/try-mutants.mjs', file, String(from)], {
      stdio: ['ignore', 'pipe', process.env['MUTATE_VERBOSE'] ? 'inherit' : 'ignore'],
      detached: true,
    });
    running = child;
    let current = from;
    let rest = '';
    let timer;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), TIMEOUT_MS);
    };
    wait();
    let ended = false;
    let baselineFailure;
    child.stdout.on('data', (chunk) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop();
      for (const part of parts.filter((each) => each.startsWith('@{'))) {
        wait();
        const event = JSON.parse(part.slice(1));
        if (event.original === false) baselineFailure = event;
        if (event.begins !== undefined) current = event.begins;
        if (event.killed === false) survived.add(event.i);
        if (event.end) ended = true;
      }
    });
    child.on('close', () => {
      clearTimeout(timer);
      if (baselineFailure)
        reject(new Error(`the tests of ${file} fail without mutation: ${baselineFailure.by}: ${baselineFailure.why}`));
      // A mutant that crashes the process or never ends counts as killed.
      else resolve(ended ? Number.POSITIVE_INFINITY : current + 1);
    });
  });
}

function oneLine(text) {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 120 ? `${line.slice(0, 117)}...` : line;
}
