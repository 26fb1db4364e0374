// Random patterns and paths, of few characters, so that they meet often.

export function randomness(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit) => Math.floor(next() * limit);
  const pick = (list) => list[below(list.length)];
  return { below, pick };
}

// Every character that means something, and some that do not.
const characters = [..."aaabbc.-1/*?[]{}()|,!+@\\^#$ é😀"];
const classes = ["alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print",
  "punct", "space", "upper", "word", "xdigit", "none"];

export class Patterns {
  constructor(random) {
    this.random = random;
  }

  pattern() {
    const { below } = this.random;
    const kind = below(10);
    if (kind === 0) return this.noise(1 + below(12));
    const made = `${"!".repeat(below(12) === 0 ? 1 + below(3) : 0)}${this.path(() => this.piece(2))}`;
    return kind <= 2 ? this.spoiled(made) : made;
  }

  // For half of them, something that the pattern could stand for. Always a path as a walk has it:
  // relative, without names that are empty, "." or "..".
  name(pattern) {
    const text = this.random.below(2) === 0 ? this.path(() => this.text()) : this.sample(pattern);
    return text.split("/").filter((name) => !["", ".", ".."].includes(name)).join("/") || "a";
  }

  sample(pattern) {
    const { below, pick } = this.random;
    const some = (most) => Array.from({ length: below(most + 1) }, () => this.text()).join("");
    const inside = /\{([^{}()]*)\}|[!?+*@]\(([^{}()]*)\)/;
    let text = pattern.replace(/^[!]+/, "");
    while (inside.test(text)) {
      text = text.replace(inside, (_, options, group) => options !== undefined
        ? pick(options.split(/,|\.\./)) : pick([...group.split("|"), "", this.text()]));
    }
    return text.replace(/\*\*\//g, () => pick(["", "a/", "a/b/", "b/b/"]))
      .replace(/\[.+?\]/g, () => this.text())
      .replace(/\*/g, () => some(2)).replace(/\?/g, () => this.text())
      .replace(/\\(.)/g, "$1");
  }

  path(segment) {
    const { below, pick } = this.random;
    const parts = Array.from({ length: 1 + below(below(4) === 0 ? 5 : 2) },
      () => this.several(segment));
    return (below(25) === 0 ? "/" : "") + parts.join(below(25) === 0 ? "//" : "/") +
      (below(12) === 0 ? pick(["/", "//"]) : "");
  }

  several(segment) {
    const { below, pick } = this.random;
    if (below(30) === 0) return pick([".", "..", ""]);
    return Array.from({ length: 1 + below(3) }, segment).join("");
  }

  text() {
    const { below, pick } = this.random;
    return below(12) === 0 ? pick(characters.filter((c) => c !== "/"))
      : pick([..."aaaaabbbcc...-12éZA_", "ab", "😀"]);
  }

  piece(depth) {
    const { below, pick } = this.random;
    const inner = () => Array.from({ length: below(5) === 0 ? 0 : 1 + below(2) },
      () => this.piece(depth - 1)).join("");
    const list = (separator) => Array.from({ length: 1 + below(3) }, inner).join(separator);
    const group = () => `${pick([..."!?+*@"])}(${list("|")})`;
    const leaf = () => pick([() => this.text(), () => this.text(), () => pick(["*", "?"]),
      () => pick(["*", "?", "**"]), () => this.set(), () => `\\${pick(characters)}`])();
    if (depth <= 0 || below(4) !== 0) return leaf();
    return pick([
      () => `{${list(",")}}`,
      () => `{${list(",")}}`,
      () => this.sequence(),
      group,
      group,
      group,
      () => "/**/",
    ])();
  }

  sequence() {
    const { pick, below } = this.random;
    const end = () => pick(["1", "2", "3", "01", "-1", "10", "a", "c", "e", "Z", "A", "é", ""]);
    const step = below(3) === 0 ? `..${pick(["1", "2", "-2", "0", "x"])}` : "";
    return `{${end()}..${end()}${step}}`;
  }

  set() {
    const { pick, below } = this.random;
    const member = () => pick([() => this.text(), () => this.text(), () => pick([..."a-]![^\\"]),
      () => `${pick([..."ab.-1A"])}-${pick([..."abc.1Z"])}`, () => `[:${pick(classes)}:]`])();
    const members = Array.from({ length: below(5) === 0 ? 0 : 1 + below(3) }, member).join("");
    return `[${pick(["", "", "!", "^", "]"])}${members}]`;
  }

  noise(length) {
    return Array.from({ length }, () => this.random.pick(characters)).join("");
  }

  // One character more, less or other.
  spoiled(pattern) {
    const { below, pick } = this.random;
    const letters = [...pattern];
    const added = below(2) === 0 ? [pick(characters)] : [];
    letters.splice(below(letters.length + 1), below(2), ...added);
    return letters.join("");
  }
}
