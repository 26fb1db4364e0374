// node differential.mjs DRIVER MODULES [SEED [COUNT]]: random patterns on random paths, each matched
// by Cairn and by npm's minimatch. Every answer has to be the same, save for what is listed.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { Patterns, randomness } from "./patterns.mjs";

const [driver, modules] = process.argv.slice(2);
const seed = Number(process.argv[4] ?? Date.now() % 1_000_000);
const count = Number(process.argv[5] ?? 200_000);
const { Minimatch } = createRequire(`${modules}/`)("minimatch");

// Where Cairn deliberately answers otherwise.
const differences = [
  { why: "an escaped | stands for itself, minimatch takes it for an operator of its expression",
    is: (pattern) => pattern.includes("\\|") },
  { why: "an escaped ^ at the start of a set stands for itself, minimatch negates the set",
    is: (pattern) => pattern.includes("[\\^") },
  { why: "what braces expand to is limited",
    is: (pattern, answer) => answer.includes("stand for more than") },
];

const random = randomness(seed);
const patterns = new Patterns(random);
const cases = [];
while (cases.length < count) {
  const pattern = patterns.pattern();
  for (let i = 0; i < 8; ++i) cases.push({ pattern, path: patterns.name(pattern) });
}

// What its function minimatch(path, pattern, {dot: true}) does, without reading each pattern again.
const read = new Map();
function matched(pattern, path) {
  if (!read.has(pattern)) read.set(pattern, new Minimatch(pattern, { dot: true }));
  return read.get(pattern).match(path);
}

const lines = cases.map(({ pattern, path }) => `${pattern}\t${path}\n`).join("");
const run = spawnSync(driver, { input: lines, maxBuffer: 1 << 30 });
if (run.status !== 0) throw new Error(`the driver ended with ${run.status ?? run.signal}`);
const answers = run.stdout.toString().split("\n").slice(0, -1);
if (answers.length !== cases.length) throw new Error(`${answers.length} answers to ${cases.length}`);

const seen = { matches: 0, thrown: 0, excused: 0, different: 0 };
cases.forEach(({ pattern, path }, i) => {
  let theirs;
  try {
    theirs = matched(pattern, path) ? "1" : "0";
  } catch {
    seen.thrown += 1;  // its regular expression is not valid; Cairn's answer is what was meant
    return;
  }
  if (theirs === "1") seen.matches += 1;
  if (theirs === answers[i]) return;
  if (differences.some(({ is }) => is(pattern, answers[i]))) {
    seen.excused += 1;
    return;
  }
  seen.different += 1;
  if (seen.different > 20) return;
  console.log(`${pattern}\n  on        ${path}\n  cairn     ${answers[i]}\n  minimatch ${theirs}`);
});
console.log(`seed ${seed}: ${cases.length} pairs, ${seen.different} answered differently; ` +
  `${seen.matches} match; ${seen.thrown} failed in minimatch; ${seen.excused} differ as listed`);
// Otherwise too little was compared.
const enough = seen.matches > count / 10 && seen.thrown < count / 10;
if (!enough) console.log("too few of the answers say something");
process.exit(seen.different === 0 && enough ? 0 : 1);
