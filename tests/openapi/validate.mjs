// node validate.mjs FILE: whether the OpenAPI document in FILE is valid.
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";

const document = JSON.parse(readFileSync(process.argv[2], "utf8"));
const validator = new Validator();
const result = await validator.validate(document);
if (!result.valid) {
  console.error(JSON.stringify(result.errors, null, 2));
  process.exit(1);
}
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
const ids = operations.map((operation) => operation.operationId);
const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
if (twice.length > 0) {
  console.error(`operationIds used twice: ${twice.join(", ")}`);
  process.exit(1);
}
console.log(`OpenAPI ${validator.version}: ${ids.length} operations, valid`);
