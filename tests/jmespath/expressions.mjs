// Random expressions, made along the grammar, and the documents they are asked of.

export const documents = [
  { a: { b: { c: 1, d: [1, 2, 3] }, c: "x" }, b: [{ a: 1 }, { a: 2, b: "y" }, { b: null }], c: null,
    d: true, e: "", name: "cairn" },
  [{ a: 3, b: "z", c: [1, 2] }, { a: 1, b: "a", c: [] }, { a: 2, b: "é", c: [3, [4, 5]] },
    { a: 2, b: "", c: [null, 6] }],
  { a: [[1, 2], [3, [4]], 5, null], b: { a: "aa", b: "a", c: "10", d: "1e2", e: "0x10" },
    c: { a: { a: 1 }, b: { a: 2 }, c: { a: 3 } }, d: [true, false, null, 0, "", [], {}],
    e: [0.1, 2.7, -3.3, 10, 9] },
  { a: ["b", "a", "𝄞", "\uff5e", "B", "ba"], b: [5, 10, 9, -1, 0.5], c: [{ a: "x" }, { a: "w" }],
    d: { a: [], b: {}, c: "", d: null, e: false }, e: "naïve 𝄞" },
  [], {}, null, "text", 7, false, [[], [[]], [{}]],
];

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

export class Expressions {
  constructor(random) {
    this.random = random;
  }

  // A number's spelling is not the same everywhere (2.0 or 2): none that was added up is spelled.
  make() {
    this.spelled = this.random.below(2) === 0;
    return this.expression(1 + this.random.below(4));
  }

  expression(depth) {
    const { below, pick } = this.random;
    if (depth <= 0) return this.leaf();
    const left = () => this.expression(depth - 1);
    return pick([
      () => this.leaf(),
      () => `${left()}.${this.afterDot(depth - 1)}`,
      () => `${left()}.${this.afterDot(depth - 1)}`,
      () => `${left()}${this.bracket(depth - 1)}`,
      () => `${left()}${this.bracket(depth - 1)}`,
      () => `${this.bracket(depth - 1)}.${this.afterDot(depth - 1)}`,
      () => `${left()} | ${left()}`,
      () => `${left()} || ${left()}`,
      () => `${left()} && ${left()}`,
      () => `!${left()}`,
      () => `(${left()})`,
      () => `${left()} ${this.comparison()} ${left()}`,
      () => this.selection(depth - 1),
      () => this.call(depth - 1),
      () => this.call(depth - 1),
    ])(below);
  }

  leaf() {
    return this.random.pick([
      () => this.name(), () => this.name(), () => this.name(), () => this.name(), () => "@",
      () => "*", () => this.bracket(0), () => this.literal(),
    ])();
  }

  name() {
    return this.random.pick(["a", "b", "c", "d", "e", "name", "missing", '"a"', '"b"']);
  }

  literal() {
    return this.random.pick(["`0`", "`1`", "`2`", "`-1.5`", "`null`", "`true`", "`[]`", "`{}`",
      "`[1, 2]`", '`{"a": 1}`', '`"a"`', "'a'", "'x'", "''", "'10'", "`[3, 1, 2]`",
      '`["b", "a"]`']);
  }

  comparison() {
    return this.random.pick(["==", "!=", "<", "<=", ">", ">="]);
  }

  afterDot(depth) {
    return this.random.pick([() => this.name(), () => this.name(), () => this.name(), () => "*",
      () => this.selection(depth), () => this.call(depth)])();
  }

  bracket(depth) {
    const number = () => this.random.pick(["0", "1", "2", "-1", "-2", "7", "-9"]);
    const maybe = () => this.random.pick([number(), ""]);
    const step = () => this.random.pick(["", ":", ":1", ":2", ":-1", ":-2"]);
    return this.random.pick([() => `[${number()}]`, () => "[*]", () => "[*]", () => "[]",
      () => `[${maybe()}:${maybe()}${step()}]`, () => `[?${this.expression(depth)}]`])();
  }

  selection(depth) {
    const { below } = this.random;
    const some = (make) => Array.from({ length: 1 + below(3) }, make).join(", ");
    return below(2) === 0 ? `[${some(() => this.expression(depth))}]`
      : `{${some(() => `${this.name()}: ${this.expression(depth)}`)}}`;
  }

  call(depth) {
    const value = () => this.expression(depth);
    const calls = [
      ["abs", value], ["ceil", value], ["floor", value], ["contains", value, value],
      ["ends_with", value, value], ["starts_with", value, value], ["join", value, value],
      ["keys", value], ["length", value], ["map", () => `&${value()}`, value], ["max", value],
      ["max_by", value, () => `&${value()}`], ["merge", value], ["merge", value, value],
      ["min", value], ["min_by", value, () => `&${value()}`], ["not_null", value],
      ["not_null", value, value], ["reverse", value], ["sort", value],
      ["sort_by", value, () => `&${value()}`], ["to_array", value], ["to_number", value],
      ["type", value], ["values", value],
      ...(this.spelled ? [["to_string", value]] : [["sum", value], ["avg", value]]),
    ];
    const [name, ...takes] = this.random.pick(calls);
    return `${name}(${takes.map((make) => make()).join(", ")})`;
  }
}
