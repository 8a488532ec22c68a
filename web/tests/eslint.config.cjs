// The linter of the JavaScript of the page, of the page without a server and of the npm package.

const js = require("@eslint/js");
const globals = require("globals");

/** The scripts that match these patterns have these globals. */
const where = (files, ...names) => ({ files, languageOptions: { globals: Object.assign({}, ...names) } });

module.exports = [
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "array-callback-return": "error",
      "consistent-return": "error",
      eqeqeq: "error",
      "no-duplicate-imports": "error",
      "no-param-reassign": "error",
      "no-promise-executor-return": "error",
      "no-self-compare": "error",
      "no-shadow": "error",
      "no-template-curly-in-string": "error",
      "no-unmodified-loop-condition": "error",
      "no-unreachable-loop": "error",
      "no-unused-expressions": "error",
      // A field that is left out of the rest is used.
      "no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "no-useless-assignment": "error",
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
    },
  },
  where(["web/assets/*.js", "wasm/site/api.js"], globals.browser),
  // `make site` writes the names and the version of the files.
  where(["wasm/site/sw.js"], globals.serviceworker, { FILES: "readonly", VERSION: "readonly" }),
  where(["wasm/npm/*.js", "wasm/tests/*.js", "web/tests/**"], globals.browser, globals.node),
];
