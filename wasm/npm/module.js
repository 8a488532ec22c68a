// Loads the WebAssembly module and calls its functions (see wasm/src/exports.rs).

/** A module with one function, which uses a vector: valid only where vectors are. */
const VECTOR_MODULE = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, // header
  1, 5, 1, 96, 0, 1, 123, // type 0: () -> v128
  3, 2, 1, 0, // function 0: type 0
  10, 8, 1, 6, 0, 65, 0, 253, 15, 11, // i32.const 0, i8x16.splat
);

/** The name of the file for this machine. */
export const moduleName = () =>
  WebAssembly.validate(VECTOR_MODULE) ? 'saavedra.wasm' : 'saavedra-scalar.wasm';

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
 * Makes an instance of the module. `print` takes the output of UCI lines, one line at a time; `signal`
 * returns the signal to a running search: 0 none, 1 `stop`, 2 `ponderhit`.
 */
export async function instantiate(module, print = () => {}, signal = () => 0) {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let exports;
  let answer;
  const read = (at, length) => decoder.decode(new Uint8Array(exports.memory.buffer, at, length));
  const write = (text) => {
    const bytes = encoder.encode(text);
    const at = exports.input(bytes.length);
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
  };
  const imports = {
    now: () => performance.timeOrigin + performance.now(),
    print: (at, length) => read(at, length).replace(/\n$/, '').split('\n').forEach(print),
    answer: (at, length) => {
      answer = read(at, length);
    },
    signal,
    fail: (at, length) => {
      throw new Error(read(at, length));
    },
  };
  ({ exports } = await WebAssembly.instantiate(module, { saavedra: imports }));
  return {
    /** Executes a UCI line. `goesOn` is false after `quit`, `isRefused` is true if it has changed nothing. */
    uci(line) {
      write(line);
      const code = exports.uci();
      return { goesOn: code !== 0, isRefused: code === 2 };
    },
    /** Answers a request (see wasm/src/request.rs): { ok } or { error }. */
    request(name, fields) {
      write(`${name}\n${JSON.stringify(fields)}`);
      exports.request();
      return JSON.parse(answer);
    },
  };
}
