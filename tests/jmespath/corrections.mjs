// Where npm's jmespath 0.15.0 is known not to do what the specification says: each by name, with
// the reason, and the change to its source that makes it right. With these made, every expression
// has to give what Cairn gives; a change that no longer fits its source is an error.
export const corrections = [
  {
    name: "@ in parentheses",
    reason: "reads an argument or group that begins with @ as if it ended there: (@ || a)",
    from: "if (this._lookahead(0) === TOK_CURRENT) {",
    to: "if (false) {",
    times: 2,
  },
  ...[">", ">=", "<", "<="].map((operator) => ({
    name: `ordering ${operator}`,
    reason: "orders any two values as JavaScript does; the specification: numbers, otherwise null",
    from: `result = first ${operator} second;`,
    to: `result = typeof first === "number" && typeof second === "number"
           ? first ${operator} second : null;`,
  })),
  {
    name: "contains",
    reason: "finds arrays and objects by identity, and numbers within strings",
    from: "return resolvedArgs[0].indexOf(resolvedArgs[1]) >= 0;",
    to: `var sought = resolvedArgs[1];
         if (typeof resolvedArgs[0] === "string") {
           return typeof sought === "string" && resolvedArgs[0].indexOf(sought) >= 0;
         }
         return resolvedArgs[0].some(function(one) { return strictDeepEqual(one, sought); });`,
  },
  {
    name: "starts_with",
    reason: "looks at the last occurrence: 'aa' does not start with 'a'",
    from: "return resolvedArgs[0].lastIndexOf(resolvedArgs[1]) === 0;",
    to: "return resolvedArgs[0].startsWith(resolvedArgs[1]);",
  },
  {
    name: "avg of nothing",
    reason: "is not a number; the specification: null",
    from: "return sum / inputArray.length;",
    to: "return inputArray.length === 0 ? null : sum / inputArray.length;",
  },
  {
    name: "sort",
    reason: "sorts numbers by their spelling",
    from: "sortedArray.sort();",
    to: "sortedArray.sort(order);",
  },
  {
    name: "max of strings",
    reason: "compares as the locale does; the specification: by code points",
    from: "if (maxElement.localeCompare(elements[i]) < 0) {",
    to: "if (order(maxElement, elements[i]) < 0) {",
  },
  {
    name: "min of strings",
    reason: "compares as the locale does; the specification: by code points",
    from: "if (elements[i].localeCompare(minElement) < 0) {",
    to: "if (order(elements[i], minElement) < 0) {",
  },
  {
    name: "sort_by",
    reason: "compares strings by UTF-16 units; the specification: by code points",
    from: "if (exprA > exprB) {\n            return 1;\n          } else if (exprA < exprB) {",
    to: "if (order(exprA, exprB) > 0) {\n            return 1;\n          } else if (order(exprA, exprB) < 0) {",
  },
  ...[["max", ">", "-Infinity"], ["min", "<", "Infinity"]].map(([name, operator, first]) => ({
    name: `${name}_by`,
    reason: "finds none among strings or in nothing, and takes numbers and strings together",
    from: `var ${name}Number = ${first};
      var ${name}Record;
      var current;
      for (var i = 0; i < resolvedArray.length; i++) {
        current = keyFunction(resolvedArray[i]);
        if (current ${operator} ${name}Number) {`,
    to: `var ${name}Number;
      var ${name}Record = null;
      var current;
      for (var i = 0; i < resolvedArray.length; i++) {
        current = keyFunction(resolvedArray[i]);
        if (i > 0 && typeof current !== typeof ${name}Number) throw new Error("TypeError: mixed");
        if (i === 0 || order(current, ${name}Number) ${operator} 0) {`,
  })),
  {
    name: "to_number",
    reason: "takes what JavaScript takes, as '' and '0x10'; the specification: JSON numbers",
    from: "convertedValue = +resolvedArgs[0];",
    to: `convertedValue = /^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?$/.test(resolvedArgs[0])
           ? +resolvedArgs[0] : NaN;`,
  },
  {
    name: "length of strings",
    reason: "counts UTF-16 units; the specification: code points",
    from: "return resolvedArgs[0].length;\n       } else {",
    to: `return typeof resolvedArgs[0] === "string" ? Array.from(resolvedArgs[0]).length
           : resolvedArgs[0].length;\n       } else {`,
  },
  {
    name: "reverse of strings",
    reason: "tears surrogate pairs apart",
    from: "var originalStr = resolvedArgs[0];",
    to: "var originalStr = Array.from(resolvedArgs[0]);",
  },
  {
    name: "merge",
    reason: "checks the type of the first argument only",
    from: "for (var key in current) {",
    to: `if (!isObject(current)) throw new Error("TypeError: merge()");
         for (var key in current) {`,
  },
];

// By code points; of UTF-8 that is the order of the bytes.
const ORDER = `
  function order(a, b) {
    if (typeof a === "number") return a - b;
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
`;

export function corrected(source) {
  let text = source.replace('"use strict";', `"use strict";${ORDER}`);
  if (text === source) throw new Error("there is no place for order()");
  for (const { name, from, to, times } of corrections) {
    if (text.split(from).length !== 1 + (times ?? 1)) {
      throw new Error(`the correction of ${name} does not fit`);
    }
    text = text.replaceAll(from, () => to);
  }
  return text;
}
