// node differential.mjs DRIVER MODULES [SEED [COUNT]]: random patterns on random paths, each matched
// by Cairn and by npm's minimatch. Every answer has to be the same, save for what is listed.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { createContext, Script } from "node:vm";
import { Patterns, randomness } from "./patterns.mjs";

const [driver, modules] = process.argv.slice(2);
const seed = Number(process.argv[4] ?? Date.now() % 1_000_000);
const count = Number(process.argv[5] ?? 200_000);
const { Minimatch } = createRequire(`${modules}/`)("minimatch");

// Where Cairn deliberately answers otherwise.
const differences = [
  { why: "an escaped | stands for itself, minimatch takes it for an operator of its expression",
    // Where braces are expanded, two backslashes become one.
    is: (pattern) => /\\\|/.test(pattern) || /\{.*\\\\.*\|/.test(pattern) },
  { why: "a ^ that is escaped, or the first after empty ranges, is one of a set, minimatch negates it",
    is: (pattern) => /\[((\\?.-\\?.)+\\?|\\)\^/u.test(pattern) },
  { why: "a group of nothing after a negation stands for itself, minimatch reads it as an expression",
    is: (pattern) => pattern.includes("!(") && /[?*+@]\([|?*+@()]*\)/.test(pattern) },
  { why: "what braces expand to is limited, and what follows negations",
    is: (pattern, answer) => /^the braces .* stand for more than|^what follows/.test(answer) },
];

const random = randomness(seed);
const patterns = new Patterns(random);
const rounds = Array.from({ length: Math.ceil(count / 8) }, () => {
  const pattern = patterns.pattern();
  return { pattern, paths: Array.from({ length: 8 }, () => patterns.name(pattern)) };
});
const cases = rounds.flatMap(({ pattern, paths }) => paths.map((path) => ({ pattern, path })));

// What minimatch(path, pattern, {dot: true}) says of each path: "1", "0", or nothing if its regular
// expression is not valid or does not come to an end.
const context = createContext({});
const asked = new Script("ask()");
function answered({ pattern, paths }) {
  context.ask = () => {
    const glob = new Minimatch(pattern, { dot: true });
    return paths.map((path) => (glob.match(path) ? "1" : "0"));
  };
  try {
    return asked.runInContext(context, { timeout: 1000 });
  } catch {
    return paths.map(() => undefined);
  }
}

const lines = cases.map(({ pattern, path }) => `${pattern}\t${path}\n`).join("");
const run = spawnSync(driver, { input: lines, maxBuffer: 1 << 30 });
if (run.status !== 0) throw new Error(`the driver ended with ${run.status ?? run.signal}`);
const answers = run.stdout.toString().split("\n").slice(0, -1);
if (answers.length !== cases.length) throw new Error(`${answers.length} answers to ${cases.length}`);

const expected = rounds.flatMap(answered);
const seen = { matches: 0, failed: 0, excused: 0, different: 0 };
cases.forEach(({ pattern, path }, i) => {
  if (expected[i] === "1") seen.matches += 1;
  if (expected[i] === undefined) seen.failed += 1;
  const theirs = expected[i] ?? (answers[i] === "1" ? "1" : "0");
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
  `${seen.matches} match; ${seen.failed} failed in minimatch; ${seen.excused} differ as listed`);
// Otherwise too little was compared.
const enough = seen.matches > count / 10 && seen.failed < count / 10;
if (!enough) console.log("too few of the answers say something");
process.exit(seen.different === 0 && enough ? 0 : 1);
