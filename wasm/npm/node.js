// What worker.js needs under Node.

import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { moduleName } from './module.js';

const beside = (name) => new URL(name, import.meta.url);

/** The search recurses, and code that is not optimised yet needs a large stack. */
const resourceLimits = { stackSizeMb: 16 };

/**
 * Reads and compiles the module. As for the native program, the environment variable SAAVEDRA_KERNEL can
 * name the kernel.
 */
export async function load() {
  const kernel = process.env.SAAVEDRA_KERNEL;
  if (kernel && !['scalar', 'simd128'].includes(kernel)) {
    throw new Error(`kernel "${kernel}" is not one of WebAssembly (scalar, simd128)`);
  }
  const name = kernel === 'scalar' ? 'saavedra-scalar.wasm' : moduleName();
  return WebAssembly.compile(await readFile(beside(name)));
}

/** Starts worker.js. */
export const startWorker = (data) => new Worker(beside('worker.js'), { workerData: data, resourceLimits });

const workerHost = (searcher) => ({
  isSearcher: workerData === searcher,
  canShare: true,
  post: (message) => parentPort.postMessage(message),
  listen: (listener) => parentPort.on('message', listener),
  start: (listener) => {
    const worker = startWorker(searcher);
    worker.on('message', listener);
    worker.on('error', ({ message }) => listener({ failed: message }));
    return worker;
  },
  close: () => parentPort.close(),
  load,
});

/** In a worker: what it needs. */
export const host = isMainThread ? null : workerHost;

/** Whether the program that runs is worker.js of this package. */
function isProgram() {
  try {
    return isMainThread && realpathSync(process.argv[1]) === realpathSync(fileURLToPath(beside('worker.js')));
  } catch {
    // There is no program, as with `node -e`.
    return false;
  }
}

// `node worker.js`: pages for stockfish.js also start their worker as a program.
if (isProgram()) {
  import('./cli.js');
}
