// node differential.mjs DRIVER MODULES [SEED [COUNT]]: random patterns on random paths, each matched
// by Cairn and by npm's minimatch. Every answer has to be the same, save for what is listed.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { createContext, Script } from "node:vm";
import { Patterns, randomness } from "./patterns.mjs";

const [driver, modules] = process.argv.slice(2);
const seed = Number(process.argv[4] ?? Date.now() % 1_000_000);
const count = Number(process.argv[5] ?? 200_000);
const { braceExpand, Minimatch } = createRequire(`${modules}/`)("minimatch");

// How deep groups such as +(a|b) are nested, at most.
function groupDepth(pattern) {
  const open = [];
  let deepest = 0;
  for (let i = 0; i < pattern.length; i += 1) {
    if (pattern[i] === "(") open.push(/[!?+*@]/.test(pattern[i - 1] ?? ""));
    if (pattern[i] === ")") open.pop();
    deepest = Math.max(deepest, open.filter((isGroup) => isGroup).length);
  }
  return deepest;
}

// Where Cairn deliberately answers otherwise.
const differences = [
  { why: "an escaped | stands for itself, minimatch takes it for an operator of its expression",
    // Where braces are expanded, two backslashes become one.
    is: (pattern) => /\\\|/.test(pattern) || /\{.*\\\\.*\|/.test(pattern) },
  { why: "a ^ that is escaped, or the first after empty ranges, is one of a set, minimatch negates it",
    is: (pattern) => /\[((\\?.-\\?.)+\\?|\\)\^/u.test(pattern) },
  { why: "a group of nothing matches nothing, minimatch may take it for text",
    is: (pattern) => /[?*+@]\([|?*+@()]*\)/.test(pattern) },
  { why: "groups nest as deep as they are written, minimatch takes those within two others for text",
    is: (pattern) => groupDepth(pattern) > 2 },
  { why: "between several **, minimatch looks for a longer part not far enough",
    is: (pattern, answer) => pattern.split("**").length > 3 &&
      answer === (/^(!!)*(?!!)/.test(pattern) ? "1" : "0") },
  { why: "a negated set with [:graph:] has neither, minimatch takes one of the two for enough",
    is: (pattern) => /\[[!^].*\[:graph:\]/.test(pattern) },
  { why: "characters above U+FFFF count as one if the pattern has a class, in minimatch if the segment has",
    is: (pattern, answer, path) => pattern.includes("[:") && /[\u{10000}-\u{10FFFF}]/u.test(pattern + path) },
  { why: "two !(…) in a pattern, or one in another group, are refused; not those that end with nothing or a " +
      "group, which match anything, in minimatch not within another",
    is: (pattern, answer) => /!\(.*!\(/.test(pattern) ||
      (pattern.includes("!(") && answer.includes("one is the most")) },
  { why: "in a !(…), or a group in it, a lone * can be nothing, in minimatch only if the segment does not begin with it",
    is: (pattern) => /!\((.*[|(])?\*+[|)]|!\(.*\)\*/.test(pattern) },
  { why: "after a !(…) a group can be nothing, in minimatch only if the segment does not begin with them",
    is: (pattern) => /!\([^/]*\)[?*+@]\(/.test(pattern) && /[(|][|)]|[{,][,}]/.test(pattern) },
  { why: "what braces expand to is limited",
    is: (pattern, answer) =>
      /^the (braces .* stand for more than|pattern (has \d+ classes|is too large))/.test(answer) },
];

const random = randomness(seed);
const patterns = new Patterns(random);
const rounds = Array.from({ length: Math.ceil(count / 8) }, () => {
  const pattern = patterns.pattern();
  return { pattern, paths: Array.from({ length: 8 }, () => patterns.name(pattern)) };
});
const cases = rounds.flatMap(({ pattern, paths }) => paths.map((path) => ({ pattern, path })));

// What minimatch(path, pattern, {dot: true}) says of each path: "1", "0", or nothing if its regular
// expression is not valid or does not come to an end within a second of processor time. What is
// waited for can be longer, on a machine that is busy.
const context = createContext({});
const asked = new Script("ask()");
function answered({ pattern, paths }, patience = 1000) {
  context.ask = () => {
    const glob = new Minimatch(pattern, { dot: true });
    return paths.map((path) => (glob.match(path) ? "1" : "0"));
  };
  const before = process.cpuUsage();
  try {
    return asked.runInContext(context, { timeout: patience });
  } catch (error) {
    const { user, system } = process.cpuUsage(before);
    const hindered = error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT" && user + system < 900_000;
    return hindered ? answered({ pattern, paths }, 2 * patience) : paths.map(() => undefined);
  }
}

const lines = cases.map(({ pattern, path }) => `${pattern}\t${path}\n`).join("");
const run = spawnSync(driver, { input: lines, maxBuffer: 1 << 30 });
if (run.status !== 0) throw new Error(`the driver ended with ${run.status ?? run.signal}`);
const answers = run.stdout.toString().split("\n").slice(0, -1);
if (answers.length !== cases.length) throw new Error(`${answers.length} answers to ${cases.length}`);

const expected = rounds.flatMap((round) => answered(round));
const seen = { matches: 0, failed: 0, excused: 0, different: 0 };
cases.forEach(({ pattern, path }, i) => {
  if (expected[i] === "1") seen.matches += 1;
  if (expected[i] === undefined) seen.failed += 1;
  const theirs = expected[i] ?? (answers[i] === "1" ? "1" : "0");
  if (theirs === answers[i]) return;
  // As it is written, and with its braces written out.
  const forms = [pattern, ...braceExpand(pattern)];
  if (differences.some(({ is }) => forms.some((form) => is(form, answers[i], path)))) {
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
const enough = seen.matches > count / 10 && seen.failed < count / 10 && seen.excused < count / 10;
if (!enough) console.log("too few of the answers say something");
process.exit(seen.different === 0 && enough ? 0 : 1);
