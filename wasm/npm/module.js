// Loads the WebAssembly module and calls its functions (see wasm/src/exports.rs).

/** A module with one function, which uses a vector: valid only where vectors are. */
const VECTOR_MODULE = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, // header
  1, 5, 1, 96, 0, 1, 123, // type 0: () -> v128
  3, 2, 1, 0, // function 0: type 0
  10, 8, 1, 6, 0, 65, 0, 253, 15, 11, // i32.const 0, i8x16.splat
);

/** The name of the worker that searches. */
export const SEARCHER = 'saavedra-search';

/** Under Node: the search recurses, and code that is not optimised yet needs a large stack. */
export const resourceLimits = { stackSizeMb: 16 };

/**
 * The name of the file for this machine. As for the native program, the environment variable SAAVEDRA_KERNEL
 * can name the kernel.
 */
export function moduleName() {
  const kernel = globalThis.process?.env?.SAAVEDRA_KERNEL;
  if (kernel && !['scalar', 'simd128'].includes(kernel)) {
    throw new Error(`kernel "${kernel}" is not one of WebAssembly (scalar, simd128)`);
  }
  const isScalar = kernel ? kernel === 'scalar' : !WebAssembly.validate(VECTOR_MODULE);
  return isScalar ? 'saavedra-scalar.wasm' : 'saavedra.wasm';
}

/** Downloads and compiles a module. */
export async function download(url) {
  const response = await fetch(url);
  if (!response.ok) {
    throw new Error(`${url}: ${response.status} ${response.statusText}`);
  }
  // Not compileStreaming: it refuses servers that do not know the type of the file.
  return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * An instance of a module. `print` takes the output of UCI lines, one line at a time, `post` the messages of the engine
 * that requests ask; `signal` returns the signal to a running search: 0 none, 1 `stop`, 2 `ponderhit`.
 */
export class Instance {
  #exports;
  #answer;

  constructor(module, { print = () => {}, post = () => {}, signal = () => 0 } = {}) {
    const decoder = new TextDecoder();
    const read = (at, length) => decoder.decode(new Uint8Array(this.#exports.memory.buffer, at, length));
    const imports = {
      now: () => performance.timeOrigin + performance.now(),
      print: (at, length) => read(at, length).replace(/\n$/, '').split('\n').forEach((line) => print(line)),
      post: (at, length) => post(JSON.parse(read(at, length))),
      answer: (at, length) => {
        this.#answer = JSON.parse(read(at, length));
      },
      signal,
      fail: (at, length) => {
        throw new Error(read(at, length));
      },
    };
    this.#exports = new WebAssembly.Instance(module, { saavedra: imports }).exports;
  }

  /** Calls a function with a text. */
  #call(name, text) {
    const bytes = new TextEncoder().encode(text);
    const at = this.#exports.input(bytes.length);
    new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes);
    return this.#exports[name]();
  }

  /** Executes a UCI line. `goesOn` is false after `quit`, `isRefused` is true if it has changed nothing. */
  uci(line) {
    const code = this.#call('uci', line);
    return { goesOn: code !== 0, isRefused: code === 2 };
  }

  /** Answers a request about positions and games (see api/src/request.rs): { ok } or { error }. */
  request(name, fields) {
    this.#call('request', `${name}\n${JSON.stringify(fields)}`);
    return this.#answer;
  }

  /** Executes a request to the engine (see api/src/engine.rs), which posts its answer. */
  engine(name, fields) {
    this.#call('engine', `${name}\n${JSON.stringify(fields)}`);
  }
}
