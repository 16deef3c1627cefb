import eslint from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["build/", "dist/", "pkg/", "generator/"] },
  eslint.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: "tsconfig.check.json", tsconfigRootDir: import.meta.dirname } },
    rules: {
      // `noPropertyAccessFromIndexSignature` and this rule want opposite things of `object["member"]`.
      "@typescript-eslint/dot-notation": "off",
      // The names of the spec, as `_meta`, and of the engine's configuration.
      "@typescript-eslint/naming-convention": "off",
    },
  },
  {
    files: ["**/*.js"],
    languageOptions: { globals: { URL: "readonly", console: "readonly", process: "readonly" } },
  },
  {
    files: ["test/**/*.ts"],
    rules: {
      // `test` of node:test returns a promise that the runner awaits.
      "@typescript-eslint/no-floating-promises": ["error", { allowForKnownSafeCalls: [{ from: "package", package: "node:test", name: ["test", "describe"] }] }],
    },
  },
);
