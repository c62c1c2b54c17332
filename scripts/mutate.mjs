// `node scripts/mutate.mjs [part of a path …]`: changes the guards one place at a time and asks their tests whether they
// notice. Prints the score of each file and every change that nobody noticed; ends with 1 where a score is below 90 %.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { EQUIVALENT } from '../test/mutation/equivalent.mjs';
import { mutantsOf } from '../test/mutation/mutants.mjs';
import { TARGETS } from '../test/mutation/targets.mjs';
import { asked, refuse } from './asked.mjs';

const LEAST = 0.9;
/** A mutant that says nothing for so long never will. */
const PATIENCE_MS = 90_000;

const USAGE = `usage: node scripts/mutate.mjs [part of a path …]
Changes the guards whose path has one of these parts (all: ${TARGETS.length}) and prints what their tests did not notice.`;
const { words: wanted } = asked(USAGE, {}, { words: true });
const targets = TARGETS.filter(({ file }) => wanted.length === 0 || wanted.some((part) => file.includes(part)));
if (targets.length === 0)
  refuse(`No guard has ${wanted.join(' or ')} in its path:\n${TARGETS.map(({ file }) => file).join('\n')}`);
let poor = false;
let running;
// The trial is a group of its own, which a signal to this process does not reach.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    if (running?.exitCode === null) process.kill(-running.pid, 'SIGKILL');
    process.exit(1);
  });
}
for (const target of targets) {
  const { killed, total, equivalent, survivors } = await scoreOf(target);
  const score = total === 0 ? 1 : killed / total;
  poor ||= score < LEAST;
  console.log(`${target.file}: ${(100 * score).toFixed(1)} % (${killed} of ${total}; ${equivalent} equivalent)`);
  for (const { line, was, becomes } of survivors) console.log(`  ${line}: ${oneLine(was)} -> ${oneLine(becomes)}`);
}
process.exitCode = poor ? 1 : 0;

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

/** Tries mutants from this one on; answers where to go on, which is behind one that never ended. */
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
      timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), PATIENCE_MS);
    };
    wait();
    let ended = false;
    let refused;
    child.stdout.on('data', (chunk) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop();
      for (const part of parts.filter((each) => each.startsWith('@{'))) {
        wait();
        const told = JSON.parse(part.slice(1));
        if (told.original === false) refused = told;
        if (told.begins !== undefined) current = told.begins;
        if (told.killed === false) survived.add(told.i);
        if (told.end) ended = true;
      }
    });
    child.on('close', () => {
      clearTimeout(timer);
      if (refused) reject(new Error(`the tests of ${file} do not pass as it is: ${refused.by}: ${refused.why}`));
      // Whatever brings its process down, or never ends, was noticed.
      else resolve(ended ? Number.POSITIVE_INFINITY : current + 1);
    });
  });
}

function oneLine(text) {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 120 ? `${line.slice(0, 117)}...` : line;
}
