// The module in the thread of the caller: loads it, and answers requests about positions and games.

import { download, Instance, moduleName } from './module.js';

// Bundlers recognise these expressions.
const FILES = {
  'saavedra.wasm': new URL('./saavedra.wasm', import.meta.url),
  'saavedra-scalar.wasm': new URL('./saavedra-scalar.wasm', import.meta.url),
};

/** The files of Node: there the module is loaded at once, where it is needed. */
const files = globalThis.process?.getBuiltinModule?.('node:fs');

let module;
let rules;
let loading = null;

function use(compiled) {
  rules = new Instance(compiled);
  module = compiled;
}

const loadNow = () => use(new WebAssembly.Module(files.readFileSync(FILES[moduleName()])));
const load = async () => (files ? loadNow() : use(await download(FILES[moduleName()])));

/** Loads the module unless it is loaded, and returns it. After a failure the next call tries again. */
export async function init() {
  if (!rules) {
    loading ??= load().finally(() => {
      loading = null;
    });
    await loading;
  }
  return module;
}

/** Answers a request: { ok } or { error }. */
export function request(name, fields) {
  if (!rules && files) {
    loadNow();
  }
  if (!rules) {
    throw new Error('the module is not loaded: await init() first');
  }
  return rules.request(name, fields);
}
